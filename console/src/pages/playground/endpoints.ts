export type Medium = 'image' | 'video' | 'document'

/** A number parameter that only this endpoint has. */
export type EndpointNumber = { name: string; label: string; minimum: number; maximum: number; required: boolean }

export type PlaygroundEndpoint = {
  name: string
  label: string
  medium: Medium
  takesOperations: boolean
  takesOutputs: boolean
  /** The output formats, with the default first. Empty if the endpoint only reads metadata. */
  formats: readonly string[]
  numbers: readonly EndpointNumber[]
  sample: string
}

const IMAGES = ['jpg', 'png', 'webp', 'gif', 'tif'] as const
const STILLS = ['jpg', 'png'] as const
const number = (name: string, label: string, minimum: number, maximum: number, required = false): EndpointNumber => ({
  name,
  label,
  minimum,
  maximum,
  required,
})

/** The endpoints of the playground. The service's catalog contains their operations. */
export const PLAYGROUND_ENDPOINTS: readonly PlaygroundEndpoint[] = [
  {
    name: 'images/process',
    label: 'Process an image',
    medium: 'image',
    takesOperations: true,
    takesOutputs: true,
    formats: IMAGES,
    numbers: [],
    sample: 'photo.jpg',
  },
  {
    name: 'images/read',
    label: 'Read image metadata',
    medium: 'image',
    takesOperations: false,
    takesOutputs: false,
    formats: [],
    numbers: [],
    sample: 'photo.jpg',
  },
  {
    name: 'videos/process',
    label: 'Process a video',
    medium: 'video',
    takesOperations: true,
    takesOutputs: false,
    formats: ['mp4'],
    numbers: [number('max_duration', 'Keep only the first seconds', 1, 7200)],
    sample: 'clip.mp4',
  },
  {
    name: 'videos/read',
    label: 'Read video metadata',
    medium: 'video',
    takesOperations: false,
    takesOutputs: false,
    formats: [],
    numbers: [],
    sample: 'clip.mp4',
  },
  {
    name: 'videos/screenshot',
    label: 'Capture a video frame',
    medium: 'video',
    takesOperations: false,
    takesOutputs: true,
    formats: STILLS,
    numbers: [number('seconds', 'Second', 0, 86_400, true)],
    sample: 'clip.mp4',
  },
  {
    name: 'documents/process',
    label: 'Process a PDF',
    medium: 'document',
    takesOperations: true,
    takesOutputs: false,
    formats: ['pdf'],
    numbers: [number('max_pages', 'Keep only the first pages', 1, 2000)],
    sample: 'report.pdf',
  },
  {
    name: 'documents/read',
    label: 'Read PDF metadata',
    medium: 'document',
    takesOperations: false,
    takesOutputs: false,
    formats: [],
    numbers: [],
    sample: 'report.pdf',
  },
  {
    name: 'documents/snapshot',
    label: 'Render a PDF page',
    medium: 'document',
    takesOperations: false,
    takesOutputs: true,
    formats: STILLS,
    numbers: [number('page', 'Page', 1, 2000)],
    sample: 'report.pdf',
  },
]

export function endpointNamed(name: string | undefined): PlaygroundEndpoint {
  const found = PLAYGROUND_ENDPOINTS.find((endpoint) => endpoint.name === name) ?? PLAYGROUND_ENDPOINTS[0]
  if (found === undefined) throw new RangeError('there are no endpoints')
  return found
}
