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

/** The base URL in examples. A running server replaces it with its own URL. */
export const EXAMPLE_BASE_URL = 'https://media.example.com'

export const sampleUrl = (baseUrl: string, name: Sample) => `${baseUrl}/docs/samples/${name}`
