import type { MediaType } from '@mediamill/contract/domain/media'
import { REQUEST_STATUSES } from '@mediamill/contract/domain/request'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { textStamp } from '@mediamill/contract/objects/stamp'
import type { JsonObject } from './input-schema.ts'
import { schemaFields } from './input-schema.ts'

const OWN_OPERATIONS = 'Like `operations`, and run after them.'
const STILL_OUTPUTS = 'Several files, as `outputs` of process_image, as jpg, png, or avif.'

export type InnerCall = { method: 'GET' | 'POST'; path: string; body?: JsonObject; waits: boolean }

export type McpTool = {
  name: string
  title: string
  description: string
  inputSchema: JsonObject
  outputSchema: JsonObject
  /** Hints for the MCP host, which uses them to decide whether to ask the user. Some hosts require all four. */
  annotations: { readOnlyHint: boolean; idempotentHint: boolean; destructiveHint: boolean; openWorldHint: boolean }
  callOf: (input: JsonObject) => InnerCall
}

const SOURCE = {
  type: 'string',
  description: 'URL, `upload:upl_…`, or link of a result.',
}
const KEY = {
  type: 'string',
  description: 'The same text again returns the first request.',
}
const TEMPLATE = {
  template: {
    type: 'string',
    description: 'Template, such as `product@3`, instead of operations and outputs.',
  },
  variables: { type: 'object', description: 'Values of its variables.' },
}
const SHOW = { type: 'boolean', description: 'Also show a preview.' }

const STRING = { type: 'string' }

/** The schemas of results contain only the fields that an agent needs, because an agent pays for each token of them. */
const REQUEST = output({
  id: { type: 'integer' },
  status: STRING,
  result: { type: 'object' },
  error: { type: 'object' },
})
const UPLOAD = output({ source: STRING, upload_url: STRING, expires_at: STRING })
const ESTIMATE = output({ price: { type: 'object' }, affordable: { type: 'boolean' } })
const REQUESTS = output({ data: { type: 'array', items: REQUEST } })
const ACCOUNT = output({ available: { type: 'object' }, limits: { type: 'object' }, livemode: { type: 'boolean' } })

/** A tool that starts a request can cost money and fetch a file, but changes and deletes nothing. */
const STARTS = { readOnlyHint: false, idempotentHint: false, destructiveHint: false, openWorldHint: true } as const
const READS = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false } as const

const processes = (name: string, media: 'images' | 'videos' | 'documents', description: string): McpTool => {
  return {
    name,
    title: description.slice(0, description.indexOf('.')),
    description,
    // `operations` is optional, because a template can contain operations. The API checks this.
    inputSchema: object(['source'], {
      source: SOURCE,
      ...fieldsOf(`${media}/process`),
      ...TEMPLATE,
      idempotency_key: KEY,
      show: SHOW,
    }),
    outputSchema: REQUEST,
    annotations: STARTS,
    callOf: (input) => starts(`${media}/process`, input),
  }
}

const id = { type: 'integer', description: 'Id of the request.' }

/** The tools that start a request. Their calls can have a webhook and a destination. */
export const STARTING: readonly McpTool[] = [
  processes(
    'process_image',
    'images',
    'Edit an image. Runs the operations in order and returns a signed link. Begin with `orient` for photos. Costs $0.002 with a live key, nothing with a test key.',
  ),
  processes(
    'process_video',
    'videos',
    'Edit a video. The result is an MP4. Costs $0.02 per started minute and needs an account that has bought credit.',
  ),
  processes(
    'process_document',
    'documents',
    'Watermark a PDF. Draws an image over every page. x and y are points of 1/72 inch. Costs $0.004 per page with a live key.',
  ),
  {
    name: 'inspect_media',
    title: 'Inspect a file',
    description:
      'Returns metadata of an image, video, or PDF: size, format, duration, codecs, pages. Costs $0.0005 to $0.001.',
    inputSchema: object(['source'], {
      source: SOURCE,
      media: { enum: ['image', 'video', 'document'], description: 'Kind of file. Default: detected.' },
      level: {
        enum: ['basic', 'full'],
        description: 'For an image: `full` adds camera, time, rights, location, color profile, and colors.',
      },
      idempotency_key: KEY,
    }),
    outputSchema: REQUEST,
    annotations: STARTS,
    callOf: ({ media, ...input }) => starts(`${isMedia(media) ? media : mediaOf(input['source'])}s/read`, input),
  },
  {
    name: 'capture_still',
    title: 'Capture a frame or a page',
    description: 'Makes an image of one frame of a video (`seconds`) or of one page of a PDF (`page`, from 1).',
    inputSchema: object(['source'], {
      source: SOURCE,
      seconds: { type: 'integer', minimum: 0, description: 'For a video: the position.' },
      page: { type: 'integer', minimum: 1, description: 'For a PDF: the page.' },
      output: fieldsOf('documents/snapshot')['output'],
      outputs: { type: 'array', description: STILL_OUTPUTS, items: { type: 'object' } },
      media: { enum: ['video', 'document'], description: 'For a template. Default: by the name of the file.' },
      ...TEMPLATE,
      idempotency_key: KEY,
      show: SHOW,
    }),
    outputSchema: REQUEST,
    annotations: STARTS,
    callOf: ({ media, ...input }) => starts(STILLS[isMedia(media) ? media : stillMedia(input)], input),
  },
]

const STILLS = { image: 'videos/screenshot', video: 'videos/screenshot', document: 'documents/snapshot' } as const

/**
 * Returns the media type for a still of the source. A template may set `page`, so with a template, the type is guessed
 * from the URL of the source.
 */
function stillMedia({ source, page, template }: JsonObject): MediaType {
  if (page !== undefined) return 'document'
  return template === undefined ? 'video' : mediaOf(source)
}

const { type: _type, shadow: _shadow, ...TEXT_FIELDS } = schemaFields(textStamp)

/** The tools, one per task. With a tool per endpoint, models choose a wrong tool more often. */
export const TOOLS: readonly McpTool[] = [
  ...STARTING,
  {
    name: 'make_text_watermark',
    title: 'Make a text watermark',
    description:
      'Draws a text, such as a copyright line, as a transparent image. Pass its `source` as `image_url` of a watermark operation. Free, kept 24 hours.',
    inputSchema: object(['text'], TEXT_FIELDS),
    outputSchema: UPLOAD,
    annotations: { ...STARTS, openWorldHint: false },
    callOf: (input) => ({ method: 'POST', path: '/v1/stamps', body: { type: 'text', ...input }, waits: false }),
  },
  {
    name: 'estimate_price',
    title: 'Estimate a price',
    description: 'Returns the price of a tool and starts nothing.',
    inputSchema: object(['tool', 'arguments'], {
      tool: { enum: STARTING.map(({ name }) => name) },
      arguments: { type: 'object', description: 'The arguments for that tool.' },
    }),
    outputSchema: ESTIMATE,
    annotations: READS,
    callOf: ({ tool, arguments: input }) => {
      const { show: _, idempotency_key: __, ...body } = input as JsonObject
      const call = STARTING.find(({ name }) => name === tool)?.callOf(body)
      if (call === undefined) throw new RangeError('only tools that start a request have an estimate')
      return { ...call, path: `${call.path}/estimate`, waits: false }
    },
  },
  {
    name: 'create_upload',
    title: 'Get an upload URL for a file',
    description:
      'For a file without a URL: returns `upload_url`, to which one PUT sends the file (curl -T FILE URL), and `source` for the other tools. Kept 24 hours.',
    inputSchema: object(['filename', 'size'], {
      filename: { type: 'string', description: 'Name of the file.' },
      size: { type: 'integer', minimum: 1, description: 'Exact size in bytes.' },
    }),
    outputSchema: UPLOAD,
    annotations: { ...STARTS, openWorldHint: false },
    callOf: (body) => ({ method: 'POST', path: '/v1/uploads', body, waits: false }),
  },
  {
    name: 'get_request',
    title: 'Get a request',
    description: 'Returns a request: its status, result, and links. Waits up to 25 seconds until it is finished.',
    inputSchema: object(['id'], { id, show: SHOW }),
    outputSchema: REQUEST,
    annotations: READS,
    callOf: (input) => ({ method: 'GET', path: `/v1/requests/${Number(input['id'])}`, waits: true }),
  },
  {
    name: 'list_requests',
    title: 'List requests',
    description: 'Returns the newest requests of the account, the newest first.',
    inputSchema: object([], {
      status: { enum: [...REQUEST_STATUSES] },
      limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Default: 5.' },
    }),
    outputSchema: REQUESTS,
    annotations: READS,
    callOf: ({ status, limit = 5 }) => ({
      method: 'GET',
      path: `/v1/requests?limit=${Number(limit)}${typeof status === 'string' ? `&status=${status}` : ''}`,
      waits: false,
    }),
  },
  {
    name: 'abort_request',
    title: 'Abort a request',
    description: 'Ends a request that is queued or processing. Nothing is charged.',
    inputSchema: object(['id'], { id }),
    outputSchema: REQUEST,
    annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: false },
    callOf: (input) => ({ method: 'POST', path: `/v1/requests/${Number(input['id'])}/abort`, waits: false }),
  },
  {
    name: 'get_account',
    title: 'Get the account',
    description: 'Returns the credit that is left, the limits, and whether the key is a live or a test key.',
    inputSchema: object([], {}),
    outputSchema: ACCOUNT,
    annotations: READS,
    callOf: () => ({ method: 'GET', path: '/v1/account', waits: false }),
  },
]

function output(properties: JsonObject): JsonObject {
  return { type: 'object', properties }
}

function object(required: string[], properties: JsonObject): JsonObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
}

/** Returns the fields of an endpoint without `destination`, which the operator must first enable for MCP. */
function fieldsOf(name: string): JsonObject {
  const endpoint = ENDPOINTS.find((one) => one.name === name)
  if (endpoint === undefined) throw new RangeError(`there is no endpoint ${name}`)
  const { output, outputs, ...others } = schemaFields(endpoint.body) as {
    output?: WithFields
    outputs?: { items: WithFields }
  }
  return {
    ...others,
    ...(output !== undefined && { output: withoutDestination(output) }),
    ...(outputs !== undefined && { outputs: { ...outputs, items: withoutDestination(outputs.items) } }),
  }
}

type WithFields = { properties: JsonObject; description?: string }

function withoutDestination({ properties, description: _, ...output }: WithFields): JsonObject {
  const { destination: __, operations, ...kept } = properties
  const own = operations !== undefined && { operations: { type: 'array', description: OWN_OPERATIONS, items: {} } }
  return { ...output, properties: { ...kept, ...own }, additionalProperties: false }
}

const starts = (path: string, body: JsonObject): InnerCall => ({
  method: 'POST',
  path: `/v1/${path}`,
  body,
  waits: true,
})

const isMedia = (value: unknown): value is MediaType => value === 'image' || value === 'video' || value === 'document'

/**
 * Guesses the media type from the URL of the source. A wrong guess costs nothing: the request fails free of charge, and
 * the error names the type.
 */
function mediaOf(source: unknown): MediaType {
  const path = typeof source === 'string' ? (URL.parse(source)?.pathname ?? '') : ''
  if (/\.pdf$/i.test(path)) return 'document'
  return /\.(?:mp4|m4v|mov|webm|mkv|avi|flv|mpe?g|ts|m2ts)$/i.test(path) ? 'video' : 'image'
}
