import { docUrl } from '@mediamill/contract/domain/errors'
import { NO_MONEY, toMoney } from '@mediamill/contract/domain/money'
import type {
  FinalRequest,
  MediaRequest,
  ResultFile,
  SucceededRequest,
  Timings,
} from '@mediamill/contract/domain/request'
import type { RequestBody } from '@mediamill/contract/objects/request'
import type { LinkKeys } from '../store/link.ts'
import { resultUrl } from '../store/link.ts'

export type Links = { keys: LinkKeys; baseUrl: string }

export function present(request: MediaRequest, links: Links): RequestBody {
  const heading = { id: request.id, object: 'request' as const, endpoint: request.endpoint }
  const sent = { livemode: request.livemode, source: request.source, input: request.input }
  const echoed = {
    ...(request.customer !== null && { customer: request.customer }),
    ...(request.metadata !== null && { metadata: request.metadata }),
    created_at: request.createdAt.toISOString(),
    ...('startedAt' in request && request.startedAt !== null && { started_at: request.startedAt.toISOString() }),
  }
  switch (request.status) {
    case 'queued':
      return { ...heading, status: request.status, ...sent, ...echoed }
    case 'processing': {
      const progress = request.endpoint.startsWith('videos/') ? { progress: Math.min(request.progress, 99) } : {}
      const started_at = request.startedAt.toISOString()
      return { ...heading, status: request.status, ...sent, ...progress, ...echoed, started_at }
    }
    case 'succeeded': {
      const ending = { result: presentResult(request, links), price: toMoney(request.price) }
      const started_at = request.startedAt.toISOString()
      return { ...heading, status: request.status, ...sent, ...ending, ...echoed, started_at, ...presentEnd(request) }
    }
    case 'failed': {
      const ending = {
        error: { ...request.error, doc_url: docUrl(links.baseUrl, request.error.code) },
        price: toMoney(NO_MONEY),
      }
      return { ...heading, status: request.status, ...sent, ...ending, ...echoed, ...presentEnd(request) }
    }
    case 'aborted': {
      const ending = { price: toMoney(NO_MONEY) }
      return { ...heading, status: request.status, ...sent, ...ending, ...echoed, ...presentEnd(request) }
    }
  }
}

function presentEnd({ completedAt, timings }: FinalRequest) {
  return { completed_at: completedAt.toISOString(), ...(timings !== null && { timings: presentTimings(timings) }) }
}

const presentTimings = ({ queuedMs, downloadMs, processMs, storeMs, totalMs }: Timings) => ({
  queued_ms: queuedMs,
  download_ms: downloadMs,
  process_ms: processMs,
  store_ms: storeMs,
  total_ms: totalMs,
})

type ResultBody = Extract<RequestBody, { status: 'succeeded' }>['result']

function presentResult(request: SucceededRequest, links: Links): ResultBody {
  const { deletedAt } = request
  if (deletedAt === null) return { data: request.data, files: [] }
  const presentFile = ({ name, width, height, ...file }: ResultFile, index: number) => ({
    url: resultUrl(links.keys, links.baseUrl, request.id, deletedAt, index === 0 ? undefined : name),
    url_expires_at: deletedAt.toISOString(),
    format: file.format,
    size: file.size,
    sha256: file.sha256,
    ...(name !== undefined && { name }),
    ...(width !== undefined && height !== undefined && { width, height }),
  })
  return { data: request.data, files: request.files.map(presentFile), deleted_at: deletedAt.toISOString() }
}
