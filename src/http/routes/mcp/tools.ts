import { ENDPOINTS } from '../../../endpoints/index.ts'
import type { JsonObject } from './input-schema.ts'
import { bodyFields } from './input-schema.ts'

/** The call of the interface that a tool stands for. */
export type InnerCall = { method: 'GET' | 'POST'; path: string; body?: JsonObject; waits: boolean }

/** One tool: what a model reads of it, and the call that it makes. */
export type McpTool = {
  name: string
  title: string
  description: string
  inputSchema: JsonObject
  /** Hints of the protocol: whether it changes anything, and whether once more does the same. */
  annotations: { readOnlyHint: boolean; idempotentHint: boolean; destructiveHint: false; openWorldHint: boolean }
  callOf: (input: JsonObject) => InnerCall
}

const SOURCE = {
  type: 'string',
  description: 'http or https URL of the file, or `upload:upl_…` from create_upload.',
}
const KEY = {
  type: 'string',
  description:
    'A text of your own for this piece of work. Sent again it answers the first request instead of a second.',
}
const SHOW = {
  type: 'boolean',
  default: false,
  description: 'Show the result too, if it is a picture of at most 512 px and 100 kB.',
}

const STARTS = { readOnlyHint: false, idempotentHint: false, destructiveHint: false, openWorldHint: true } as const
const READS = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false } as const

const processes = (name: string, media: 'images' | 'videos' | 'documents', description: string): McpTool => {
  const { properties, required } = fieldsOf(`${media}/process`)
  return {
    name,
    title: description.slice(0, description.indexOf('.')),
    description,
    inputSchema: object(['source', ...required], {
      source: SOURCE,
      ...properties,
      idempotency_key: KEY,
      ...(media === 'images' && { show: SHOW }),
    }),
    annotations: STARTS,
    callOf: (input) => starts(`${media}/process`, input),
  }
}

/** Eight tools by what somebody wants to do. With one for each endpoint models choose worse. */
export const TOOLS: readonly McpTool[] = [
  processes(
    'process_image',
    'images',
    'Edit an image. Runs the operations in order and answers a signed link to the result. Begin with `orient` for photos of phones and cameras. Costs $0.002 with a live key, nothing with a test key.',
  ),
  processes(
    'process_video',
    'videos',
    'Edit a video. The result is an MP4. Costs $0.02 a started minute and needs an account that has bought credit.',
  ),
  processes(
    'process_document',
    'documents',
    'Stamp a PDF. Lays an image over every page. x and y are points of 1/72 inch. Costs $0.004 a page with a live key.',
  ),
  {
    name: 'inspect_media',
    title: 'Look at a file',
    description:
      'Tells what an image, a video or a PDF is: size, format, duration, codecs, pages. Makes no file. Costs $0.0005 to $0.001.',
    inputSchema: object(['source', 'media'], {
      source: SOURCE,
      media: { enum: ['image', 'video', 'document'], description: 'What kind of file it is.' },
    }),
    annotations: STARTS,
    callOf: ({ media, ...input }) => starts(`${textOf(media)}s/read`, input),
  },
  {
    name: 'capture_still',
    title: 'Make a picture of a moment or a page',
    description: 'Makes a picture of one moment of a video (`seconds`) or of one page of a PDF (`page`, from 1).',
    inputSchema: object(['source'], {
      source: SOURCE,
      seconds: { type: 'integer', minimum: 0, description: 'For a video: the moment, in whole seconds.' },
      page: { type: 'integer', minimum: 1, description: 'For a PDF: the page.' },
      output: fieldsOf('documents/snapshot').properties['output'],
      idempotency_key: KEY,
      show: SHOW,
    }),
    annotations: STARTS,
    callOf: (input) => starts(input['page'] === undefined ? 'videos/screenshot' : 'documents/snapshot', input),
  },
  {
    name: 'create_upload',
    title: 'Get an address for a file',
    description:
      'For a file that has no URL: answers `upload_url`, to which the file is sent by one PUT (curl -T FILE URL), and `source`, which the other tools take. Kept 24 hours.',
    inputSchema: object(['filename', 'size'], {
      filename: { type: 'string', description: 'Name of the file.' },
      size: { type: 'integer', minimum: 1, description: 'Exact size in bytes.' },
    }),
    annotations: { ...STARTS, openWorldHint: false },
    callOf: (body) => ({ method: 'POST', path: '/v1/uploads', body, waits: false }),
  },
  {
    name: 'get_request',
    title: 'Look at a request',
    description:
      'A request by its id: its status, result and links. Waits up to 25 seconds for one that is not finished.',
    inputSchema: object(['id'], { id: { type: 'integer', description: 'Id of the request.' }, show: SHOW }),
    annotations: READS,
    callOf: ({ id }) => ({ method: 'GET', path: `/v1/requests/${encodeURIComponent(textOf(id))}`, waits: true }),
  },
  {
    name: 'get_account',
    title: 'Look at the account',
    description: 'Credit that is left, limits, and whether the key is a live or a test key.',
    inputSchema: object([], {}),
    annotations: READS,
    callOf: () => ({ method: 'GET', path: '/v1/account', waits: false }),
  },
]

function object(required: string[], properties: JsonObject): JsonObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
}

/** The fields of an endpoint without a destination: the address of a bucket is nothing for a model to pass on. */
function fieldsOf(name: string): { properties: JsonObject; required: string[] } {
  const endpoint = ENDPOINTS.find((one) => one.name === name)
  if (endpoint === undefined) throw new RangeError(`there is no endpoint ${name}`)
  const { properties, required } = bodyFields(endpoint)
  const { output, ...others } = properties as { output?: { properties: JsonObject } }
  if (output === undefined) return { properties, required }
  const { destination: _, ...kept } = output.properties
  return { properties: { ...others, output: { ...output, properties: kept } }, required }
}

const starts = (path: string, body: JsonObject): InnerCall => ({
  method: 'POST',
  path: `/v1/${path}`,
  body,
  waits: true,
})

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
