import type { FailureCode } from './errors.ts'
import type { AccountId, RequestId } from './ids.ts'
import type { OutputFormat } from './media.ts'
import { MEDIA_TYPES } from './media.ts'
import type { MicroUsd } from './money.ts'

/** Spec 3, in the order a request takes them; the last three are final. */
export const REQUEST_STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'aborted'] as const
export type RequestStatus = (typeof REQUEST_STATUSES)[number]

/** Facts about an output or a source, in order of display (Spec 2.4, rulings 2). */
export type ResultData = Record<string, unknown>

/**
 * A file that a request produced. `key` is its name in the store and never leaves the service.
 *
 * `thumbnail` is the key of a small picture of it, which goes with it (decision 59).
 */
export type ResultFile = { key: string; format: OutputFormat; size: number; sha256: string; thumbnail?: string }

/** Why a request failed. `operation` is the index of the operation to blame (Spec 2.1, rulings 7). */
export type RequestError = { code: FailureCode; message: string; operation?: number }

/**
 * How long the stages of the attempt that ended a request took, in whole milliseconds. What did not happen took 0.
 *
 * `queued` is all before that attempt. Of a request that a worker ended they add up to `total` (rulings 16).
 */
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

export type QueuedRequest = RequestBase & { status: 'queued' }
export type ProcessingRequest = RequestBase & { status: 'processing'; startedAt: Date; progress: number }
export type SucceededRequest = RequestBase & {
  status: 'succeeded'
  startedAt: Date
  completedAt: Date
  price: MicroUsd
  data: ResultData
  files: ResultFile[]
  /** When the files are deleted and the links to them stop working; `null` in reads of versions that did not note it. */
  deletedAt: Date | null
  /** `null` for requests of versions that did not measure. */
  timings: Timings | null
}
export type FailedRequest = RequestBase & {
  status: 'failed'
  startedAt: Date | null
  completedAt: Date
  error: RequestError
  timings: Timings
}
export type AbortedRequest = RequestBase & {
  status: 'aborted'
  startedAt: Date | null
  completedAt: Date
  timings: Timings
}

/** One call's record, from acceptance to its end. A field exists only in the states that have it (Spec 2.1). */
export type MediaRequest = QueuedRequest | ProcessingRequest | SucceededRequest | FailedRequest | AbortedRequest
export type FinalRequest = SucceededRequest | FailedRequest | AbortedRequest

/** Milliseconds that the stages of an attempt took, one after the other. */
export type StageTimes = { downloadMs: number; processMs: number; storeMs: number }

/**
 * A worker's findings about a request it holds. They are how it ended and what it took; they are missing where no
 * attempt ran.
 */
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

/**
 * Jobs of one lane share their workers' places, so that long videos never stop images. Videos that are only looked at,
 * for their facts or one picture, do not wait behind those that are made, which may take hours.
 */
export const LANES = [...MEDIA_TYPES, 'video_look'] as const
export type Lane = (typeof LANES)[number]
