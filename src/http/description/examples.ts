import type { AccountId, RequestId } from '../../domain/ids.ts'
import type { MediaType, OutputFormat } from '../../domain/media.ts'
import { CONTENT_TYPES } from '../../domain/media.ts'
import { times } from '../../domain/money.ts'
import type { MediaRequest, SucceededRequest } from '../../domain/request.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import { present } from '../../requests/present.ts'
import { deriveLinkKeys } from '../../store/link.ts'
import type { Json } from './json-schema.ts'

/** Where the service of the examples is; its links are signed like any other, with a key that signs nothing else. */
const EXAMPLE_LINKS = {
  keys: deriveLinkKeys(['the key of the examples in the description']),
  baseUrl: 'https://media.example.com',
}

const SOURCES: Record<MediaType, string> = {
  image: 'https://example.com/photo.jpg',
  video: 'https://example.com/clip.mov',
  document: 'https://example.com/report.pdf',
}

/** What a call of the endpoint may send. */
export function exampleBody(endpoint: Endpoint): Json {
  return {
    source: SOURCES[endpoint.media],
    ...endpoint.example.body,
    customer: 'customer-42',
    metadata: { order: '1977' },
  }
}

/** The request that such a call starts, as it is then. */
export function exampleQueued(endpoint: Endpoint): Json {
  return present({ ...base(endpoint), status: 'queued' }, EXAMPLE_LINKS)
}

/** The same at its end. */
export function exampleSucceeded(endpoint: Endpoint): Json {
  return present(succeeded(endpoint), EXAMPLE_LINKS)
}

export function exampleAborted(endpoint: Endpoint): Json {
  return present(
    { ...base(endpoint), status: 'aborted', startedAt: null, completedAt: COMPLETED, timings: ABORTED_TIMINGS },
    EXAMPLE_LINKS,
  )
}

export function exampleFailed(endpoint: Endpoint): Json {
  const error = {
    code: 'source_unreachable',
    message: 'The source could not be downloaded: the server answered 404.',
  } as const
  const request: MediaRequest = {
    ...base(endpoint),
    status: 'failed',
    startedAt: STARTED,
    completedAt: COMPLETED,
    error,
    timings: FAILED_TIMINGS,
  }
  return present(request, EXAMPLE_LINKS)
}

const CREATED = new Date('2026-11-21T09:30:00.120Z')
const STARTED = new Date('2026-11-21T09:30:00.131Z')
const COMPLETED = new Date('2026-11-21T09:30:01.480Z')
const DELETED = new Date('2026-11-28T09:30:01.480Z')
const ABORTED_TIMINGS = { queuedMs: 1360, downloadMs: 0, processMs: 0, storeMs: 0, totalMs: 1360 }
const FAILED_TIMINGS = { queuedMs: 11, downloadMs: 1349, processMs: 0, storeMs: 0, totalMs: 1360 }

function base(endpoint: Endpoint) {
  return {
    id: 48_211 as RequestId,
    accountId: 1001 as AccountId,
    endpoint: endpoint.name,
    livemode: true,
    source: SOURCES[endpoint.media],
    webhookUrl: null,
    input: endpoint.example.body,
    customer: 'customer-42',
    metadata: { order: '1977' },
    createdAt: CREATED,
  }
}

function succeeded(endpoint: Endpoint): SucceededRequest {
  const { data } = endpoint.example
  const format = formatOf(endpoint)
  const units = endpoint.priceUnit === 'page' ? Number(data['page_count']) : 1
  const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
  return {
    ...base(endpoint),
    status: 'succeeded',
    startedAt: STARTED,
    completedAt: COMPLETED,
    price: times(endpoint.price, units),
    data,
    files: format === undefined ? [] : [{ key: '', format, size: Number(data['size']), sha256 }],
    deletedAt: DELETED,
    timings: { queuedMs: 11, downloadMs: 342, processMs: 989, storeMs: 18, totalMs: 1360 },
  }
}

/** Of the file that the endpoint makes, if it makes one. */
function formatOf(endpoint: Endpoint): OutputFormat | undefined {
  if (!Object.hasOwn(endpoint.body.shape, 'output')) return undefined
  const made = String(endpoint.example.data['format']).toLowerCase()
  return (Object.keys(CONTENT_TYPES) as OutputFormat[]).find((format) => format === made)
}
