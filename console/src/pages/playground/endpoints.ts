export type Medium = 'image' | 'video' | 'document'

/** A number that an endpoint takes besides the common fields. */
export type EndpointNumber = { name: string; label: string; minimum: number; maximum: number; required: boolean }

export type PlaygroundEndpoint = {
  name: string
  label: string
  medium: Medium
  takesOperations: boolean
  /** What it can write, the default first; none for reads. */
  formats: readonly string[]
  numbers: readonly EndpointNumber[]
  /** The service's own sample that it works on. */
  sample: string
}

const PICTURES = ['jpg', 'png', 'webp', 'gif', 'tif'] as const
const STILLS = ['jpg', 'png'] as const
const number = (name: string, label: string, minimum: number, maximum: number, required = false): EndpointNumber => ({
  name,
  label,
  minimum,
  maximum,
  required,
})

/** The processing endpoints, as Spec 4.2 has them; the operations of each come from the service's catalog. */
export const PLAYGROUND_ENDPOINTS: readonly PlaygroundEndpoint[] = [
  {
    name: 'images/process',
    label: 'Process an image',
    medium: 'image',
    takesOperations: true,
    formats: PICTURES,
    numbers: [],
    sample: 'photo.jpg',
  },
  {
    name: 'images/read',
    label: 'Read an image’s facts',
    medium: 'image',
    takesOperations: false,
    formats: [],
    numbers: [],
    sample: 'photo.jpg',
  },
  {
    name: 'videos/process',
    label: 'Process a video',
    medium: 'video',
    takesOperations: true,
    formats: ['mp4'],
    numbers: [number('max_duration', 'Keep only the first seconds', 1, 7200)],
    sample: 'clip.mp4',
  },
  {
    name: 'videos/read',
    label: 'Read a video’s facts',
    medium: 'video',
    takesOperations: false,
    formats: [],
    numbers: [],
    sample: 'clip.mp4',
  },
  {
    name: 'videos/screenshot',
    label: 'Take a still of a video',
    medium: 'video',
    takesOperations: false,
    formats: STILLS,
    numbers: [number('seconds', 'Second', 0, 86_400, true)],
    sample: 'clip.mp4',
  },
  {
    name: 'documents/process',
    label: 'Process a PDF',
    medium: 'document',
    takesOperations: true,
    formats: ['pdf'],
    numbers: [number('max_pages', 'Keep only the first pages', 1, 2000)],
    sample: 'report.pdf',
  },
  {
    name: 'documents/read',
    label: 'Read a PDF’s facts',
    medium: 'document',
    takesOperations: false,
    formats: [],
    numbers: [],
    sample: 'report.pdf',
  },
  {
    name: 'documents/snapshot',
    label: 'Draw a page of a PDF',
    medium: 'document',
    takesOperations: false,
    formats: STILLS,
    numbers: [number('page', 'Page', 1, 2000)],
    sample: 'report.pdf',
  },
]

/** The endpoint of this name; the first one for a name that is none. */
export function endpointNamed(name: string | undefined): PlaygroundEndpoint {
  const found = PLAYGROUND_ENDPOINTS.find((endpoint) => endpoint.name === name) ?? PLAYGROUND_ENDPOINTS[0]
  if (found === undefined) throw new RangeError('there are no endpoints')
  return found
}
