import type { FailureCode, RequestFailure } from './errors.ts'
import type { AccountId, RequestId } from './ids.ts'
import type { OutputFormat } from './media.ts'
import { MEDIA_TYPES } from './media.ts'
import type { MicroUsd } from './money.ts'

/** The states of a request in order (requests.states.1). The last three are final. */
export const REQUEST_STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'aborted'] as const
export type RequestStatus = (typeof REQUEST_STATUSES)[number]

export type ResultData = Record<string, unknown>

/** A file of a result. `key` and `thumbnail` are names in the store. Only requests with `outputs` set `name`. */
export type ResultFile = {
  key: string
  format: OutputFormat
  size: number
  sha256: string
  thumbnail?: string
  name?: string
  width?: number
  height?: number
}

export const fileNamed = (files: readonly ResultFile[], name: string | undefined): ResultFile | undefined =>
  name === undefined ? files[0] : files.find((file) => file.name === name)

/** The error of a request. `operation` is an index in the operations of the request, or of the output `output`. */
export type RequestError = { code: FailureCode; message: string; operation?: number; output?: string }

export const toRequestError = ({ code, message, operation, output }: RequestFailure): RequestError => ({
  code,
  message,
  ...(operation !== undefined && { operation }),
  ...(output !== undefined && { output }),
})

/** The milliseconds of each stage in the last attempt. `queuedMs` is all other time (requests.object.7). */
export type Timings = { queuedMs: number; downloadMs: number; processMs: number; storeMs: number; totalMs: number }

type RequestBase = {
  id: RequestId
  accountId: AccountId
  endpoint: string
  livemode: boolean
  source: string
  webhookUrl: string | null
  input: Record<string, unknown>
  customer: string | null
  metadata: Record<string, string> | null
  createdAt: Date
}

type QueuedRequest = RequestBase & { status: 'queued' }
type ProcessingRequest = RequestBase & { status: 'processing'; startedAt: Date; progress: number }
export type SucceededRequest = RequestBase & {
  status: 'succeeded'
  startedAt: Date
  completedAt: Date
  price: MicroUsd
  data: ResultData
  files: ResultFile[]
  /** The time when the files and their links expire. `null` if an older version created the request. */
  deletedAt: Date | null
  timings: Timings | null
}
export type FailedRequest = RequestBase & {
  status: 'failed'
  startedAt: Date | null
  completedAt: Date
  error: RequestError
  timings: Timings
}
type AbortedRequest = RequestBase & {
  status: 'aborted'
  startedAt: Date | null
  completedAt: Date
  timings: Timings
}

/** The record of one call to a processing endpoint (requests.object.1). */
export type MediaRequest = QueuedRequest | ProcessingRequest | SucceededRequest | FailedRequest | AbortedRequest
export type FinalRequest = SucceededRequest | FailedRequest | AbortedRequest

export type StageTimes = { downloadMs: number; processMs: number; storeMs: number }

/** The outcome of a claimed request. `stages` is missing if no attempt ran. */
export type Outcome =
  | {
      status: 'succeeded'
      price: MicroUsd
      data: ResultData
      files: ResultFile[]
      sourceBytes: number
      took?: StageTimes
    }
  | { status: 'failed'; error: RequestError; sourceBytes: number; took?: StageTimes }

/** The job queues. Each lane has its own slots, so that long videos delay neither images nor `videos/read`. */
export const LANES = [...MEDIA_TYPES, 'video_look'] as const
export type Lane = (typeof LANES)[number]
