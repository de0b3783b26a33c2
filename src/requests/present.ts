import { NO_MONEY, toMoney } from '../domain/money.ts'
import type { MediaRequest, ResultFile, SucceededRequest, Timings } from '../domain/request.ts'
import type { LinkKeys } from '../store/link.ts'
import { resultUrl } from '../store/link.ts'

/** What download links are made of: the keys that sign them, and the public address of the service. */
export type Links = { keys: LinkKeys; baseUrl: string }

/** The Request object of Spec 2.1, as answers and events carry it. */
export function present(request: MediaRequest, links: Links): Record<string, unknown> {
  return {
    id: request.id,
    object: 'request',
    endpoint: request.endpoint,
    status: request.status,
    livemode: request.livemode,
    source: request.source,
    input: request.input,
    ...ending(request, links),
    ...(request.customer !== null && { customer: request.customer }),
    ...(request.metadata !== null && { metadata: request.metadata }),
    created_at: request.createdAt.toISOString(),
    ...('startedAt' in request && request.startedAt !== null && { started_at: request.startedAt.toISOString() }),
    ...('completedAt' in request && { completed_at: request.completedAt.toISOString() }),
    ...('timings' in request && request.timings !== null && { timings: presentTimings(request.timings) }),
  }
}

const presentTimings = ({ queuedMs, downloadMs, processMs, storeMs, totalMs }: Timings) => ({
  queued_ms: queuedMs,
  download_ms: downloadMs,
  process_ms: processMs,
  store_ms: storeMs,
  total_ms: totalMs,
})

/** What only a state has: `price` is on final requests, and zero on those that are not charged (rulings 6). */
function ending(request: MediaRequest, links: Links): Record<string, unknown> {
  switch (request.status) {
    case 'queued':
      return {}
    case 'processing':
      return request.endpoint.startsWith('videos/') ? { progress: Math.min(request.progress, 99) } : {}
    case 'succeeded':
      return { result: presentResult(request, links), price: toMoney(request.price) }
    case 'failed':
      return { error: request.error, price: toMoney(NO_MONEY) }
    case 'aborted':
      return { price: toMoney(NO_MONEY) }
  }
}

function presentResult(request: SucceededRequest, links: Links): Record<string, unknown> {
  const { deletedAt } = request
  if (deletedAt === null) return { data: request.data, files: [] }
  const presentFile = (file: ResultFile) => ({
    url: resultUrl(links.keys, links.baseUrl, request.id, deletedAt),
    url_expires_at: deletedAt.toISOString(),
    format: file.format,
    size: file.size,
    sha256: file.sha256,
  })
  return { data: request.data, files: request.files.map(presentFile), deleted_at: deletedAt.toISOString() }
}
