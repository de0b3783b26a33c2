import { docUrl } from '../domain/errors.ts'
import type { MediaType, OutputFormat } from '../domain/media.ts'
import { CONTENT_TYPES } from '../domain/media.ts'
import { NO_MONEY, times, toMoney } from '../domain/money.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { pricesOf, unitsOf } from '../endpoints/endpoint.ts'
import type { EstimateBody } from './estimate.ts'
import type { RequestBody } from './request.ts'
import { EXAMPLE_BASE_URL, sampleUrl } from './samples.ts'

const SOURCES: Record<MediaType, string> = {
  image: sampleUrl(EXAMPLE_BASE_URL, 'photo.jpg'),
  video: sampleUrl(EXAMPLE_BASE_URL, 'clip.mp4'),
  document: sampleUrl(EXAMPLE_BASE_URL, 'report.pdf'),
}

export const exampleBody = (endpoint: Endpoint) => ({
  source: SOURCES[endpoint.media],
  ...endpoint.example.body,
  customer: 'customer-42',
  metadata: { order: '1977' },
})

const heading = (endpoint: Endpoint) => ({ id: 48_211, object: 'request' as const, endpoint: endpoint.name })

const sent = (endpoint: Endpoint) => ({
  livemode: true,
  source: SOURCES[endpoint.media],
  input: endpoint.example.body,
})

const echoed = {
  customer: 'customer-42',
  metadata: { order: '1977' },
  created_at: '2026-11-21T09:30:00.120Z',
}
const TIMINGS = { queued_ms: 11, download_ms: 342, process_ms: 989, store_ms: 18, total_ms: 1360 }
const TIMES = { started_at: '2026-11-21T09:30:00.131Z', completed_at: '2026-11-21T09:30:01.480Z' }
const DELETED_AT = '2026-11-28T09:30:01.480Z'

export const exampleQueued = (endpoint: Endpoint): RequestBody => ({
  ...heading(endpoint),
  status: 'queued',
  ...sent(endpoint),
  ...echoed,
})

export function exampleSucceeded(endpoint: Endpoint): RequestBody {
  const { data } = endpoint.example
  const format = formatOf(endpoint)
  const units = endpoint.priceUnit === 'page' ? Number(data['page_count']) : 1
  const file = (made: OutputFormat) => ({
    url: `${EXAMPLE_BASE_URL}/v1/results/48211?expires=1795858201&signature=3rXG2mYbVtq7o1hJc0zUeB8nqkWf5LxTdSaR9iPgQ4E`,
    url_expires_at: DELETED_AT,
    format: made,
    size: Number(data['size']),
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  return {
    ...heading(endpoint),
    status: 'succeeded',
    ...sent(endpoint),
    result: { data, files: format === undefined ? [] : [file(format)], deleted_at: DELETED_AT },
    price: toMoney(times(endpoint.price, units)),
    ...echoed,
    ...TIMES,
    timings: TIMINGS,
  }
}

export const exampleAborted = (endpoint: Endpoint): RequestBody => ({
  ...heading(endpoint),
  status: 'aborted',
  ...sent(endpoint),
  price: toMoney(NO_MONEY),
  ...echoed,
  completed_at: TIMES.completed_at,
  timings: { queued_ms: 1360, download_ms: 0, process_ms: 0, store_ms: 0, total_ms: 1360 },
})

export const exampleFailed = (endpoint: Endpoint): RequestBody => ({
  ...heading(endpoint),
  status: 'failed',
  ...sent(endpoint),
  error: {
    code: 'source_unreachable',
    message: 'The source could not be downloaded: its server returned status 404.',
    doc_url: docUrl(EXAMPLE_BASE_URL, 'source_unreachable'),
  },
  price: toMoney(NO_MONEY),
  ...echoed,
  ...TIMES,
  timings: { queued_ms: 11, download_ms: 1349, process_ms: 0, store_ms: 0, total_ms: 1360 },
})

export function exampleEstimate(endpoint: Endpoint): EstimateBody {
  const units = unitsOf(endpoint, endpoint.example.body)
  const { minimum, maximum } = pricesOf(endpoint.price, units)
  return {
    object: 'estimate',
    endpoint: endpoint.name,
    unit: endpoint.priceUnit,
    unit_price: toMoney(endpoint.price),
    units,
    price: { minimum: toMoney(minimum), maximum: maximum === null ? null : toMoney(maximum) },
    affordable: true,
  }
}

function formatOf(endpoint: Endpoint): OutputFormat | undefined {
  if (!Object.hasOwn(endpoint.body.shape, 'output')) return undefined
  const made = String(endpoint.example.data['format']).toLowerCase()
  return (Object.keys(CONTENT_TYPES) as OutputFormat[]).find((format) => format === made)
}
