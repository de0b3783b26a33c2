import { OUTPUT_FORMATS, STILL_FORMATS } from '@mediamill/contract/domain/media'
import { text } from './text.ts'

export type Medium = 'image' | 'video' | 'document'

type EndpointNumber = { name: string; label: string; minimum: number; maximum: number; required: boolean }

export type PlaygroundEndpoint = {
  name: string
  label: string
  medium: Medium
  takesOperations: boolean
  takesOutputs: boolean
  /** The output formats, with the default first. Empty if the endpoint only reads metadata. */
  formats: readonly string[]
  numbers: readonly EndpointNumber[]
  /** The values of `level`, with the default first. */
  levels?: readonly string[]
  sample: string
}

const number = (name: string, label: string, minimum: number, maximum: number, required = false): EndpointNumber => ({
  name,
  label,
  minimum,
  maximum,
  required,
})

export const PLAYGROUND_ENDPOINTS: readonly PlaygroundEndpoint[] = [
  {
    name: 'images/process',
    label: text.processAnImage,
    medium: 'image',
    takesOperations: true,
    takesOutputs: true,
    formats: OUTPUT_FORMATS.image,
    numbers: [],
    sample: 'photo.jpg',
  },
  {
    name: 'images/read',
    label: text.readImageMetadata,
    medium: 'image',
    takesOperations: false,
    takesOutputs: false,
    formats: [],
    numbers: [],
    levels: ['basic', 'full'],
    sample: 'photo.jpg',
  },
  {
    name: 'videos/process',
    label: text.processAVideo,
    medium: 'video',
    takesOperations: true,
    takesOutputs: false,
    formats: OUTPUT_FORMATS.video,
    numbers: [number('max_duration', text.keepOnlyTheFirstSeconds, 1, 7200)],
    sample: 'clip.mp4',
  },
  {
    name: 'videos/read',
    label: text.readVideoMetadata,
    medium: 'video',
    takesOperations: false,
    takesOutputs: false,
    formats: [],
    numbers: [],
    sample: 'clip.mp4',
  },
  {
    name: 'videos/screenshot',
    label: text.captureAVideoFrame,
    medium: 'video',
    takesOperations: false,
    takesOutputs: true,
    formats: STILL_FORMATS,
    numbers: [number('seconds', text.second, 0, 86_400, true)],
    sample: 'clip.mp4',
  },
  {
    name: 'documents/process',
    label: text.processAPdf,
    medium: 'document',
    takesOperations: true,
    takesOutputs: false,
    formats: OUTPUT_FORMATS.document,
    numbers: [number('max_pages', text.keepOnlyTheFirstPages, 1, 2000)],
    sample: 'report.pdf',
  },
  {
    name: 'documents/read',
    label: text.readPdfMetadata,
    medium: 'document',
    takesOperations: false,
    takesOutputs: false,
    formats: [],
    numbers: [],
    sample: 'report.pdf',
  },
  {
    name: 'documents/snapshot',
    label: text.renderAPdfPage,
    medium: 'document',
    takesOperations: false,
    takesOutputs: true,
    formats: STILL_FORMATS,
    numbers: [number('page', text.page, 1, 2000)],
    sample: 'report.pdf',
  },
]

export function endpointNamed(name: string | undefined): PlaygroundEndpoint {
  const found = PLAYGROUND_ENDPOINTS.find((endpoint) => endpoint.name === name) ?? PLAYGROUND_ENDPOINTS[0]
  if (found === undefined) throw new RangeError('there are no endpoints')
  return found
}
