/** Files that every service serves for trying it out, with what each is. */
export const SAMPLES = {
  'photo.jpg': 'image/jpeg',
  'logo.png': 'image/png',
  'clip.mp4': 'video/mp4',
  'report.pdf': 'application/pdf',
  'product.jpg': 'image/jpeg',
  'portrait.jpg': 'image/jpeg',
  'scan.jpg': 'image/jpeg',
  'phone.heic': 'image/heic',
  'animation.gif': 'image/gif',
} as const

export type Sample = keyof typeof SAMPLES
export const SAMPLE_NAMES = Object.keys(SAMPLES) as Sample[]

/** Where the service of examples is; the description puts its own address there. */
export const EXAMPLE_BASE_URL = 'https://media.example.com'

/** The address of a sample of the service at `baseUrl`. */
export const sampleUrl = (baseUrl: string, name: Sample) => `${baseUrl}/docs/samples/${name}`
