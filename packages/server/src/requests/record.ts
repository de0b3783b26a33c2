import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { microUsd } from '@mediamill/contract/domain/money'
import type { FinalRequest, MediaRequest, Timings } from '@mediamill/contract/domain/request'
import type { RequestRow } from '../db/requests.ts'

export function toRequest(row: RequestRow): MediaRequest {
  const base = {
    id: row.id as RequestId,
    accountId: row.accountId as AccountId,
    endpoint: row.endpoint,
    livemode: row.livemode,
    source: row.source,
    webhookUrl: row.webhookUrl,
    input: row.input,
    customer: row.customer,
    metadata: row.metadata,
    createdAt: row.createdAt,
  }
  switch (row.status) {
    case 'queued':
      return { ...base, status: 'queued' }
    case 'processing':
      return { ...base, status: 'processing', startedAt: set(row.startedAt), progress: row.progress }
    case 'succeeded':
      return {
        ...base,
        status: 'succeeded',
        startedAt: set(row.startedAt),
        completedAt: set(row.completedAt),
        price: microUsd(row.price),
        data: set(row.data),
        files: row.files ?? [],
        deletedAt: row.deletedAt,
        timings: row.took === null ? null : timingsOf(row),
      }
    case 'failed':
      return {
        ...base,
        status: 'failed',
        startedAt: row.startedAt,
        completedAt: set(row.completedAt),
        error: set(row.error),
        timings: timingsOf(row),
      }
    case 'aborted':
      return {
        ...base,
        status: 'aborted',
        startedAt: row.startedAt,
        completedAt: set(row.completedAt),
        timings: timingsOf(row),
      }
  }
}

export function toFinalRequest(row: RequestRow): FinalRequest {
  const request = toRequest(row)
  if ('completedAt' in request) return request
  throw new Error('the request is not final: its status is queued or processing')
}

/** Returns the timings. Queued time is all time outside the last attempt's stages, including earlier attempts. */
function timingsOf(row: RequestRow): Timings {
  const totalMs = set(row.completedAt).getTime() - row.createdAt.getTime()
  const { downloadMs, processMs, storeMs } = row.took ?? { downloadMs: 0, processMs: 0, storeMs: 0 }
  const untilStartMs = (row.startedAt ?? set(row.completedAt)).getTime() - row.createdAt.getTime()
  const queuedMs = row.took === null ? untilStartMs : Math.max(0, totalMs - downloadMs - processMs - storeMs)
  return { queuedMs, downloadMs, processMs, storeMs, totalMs }
}

function set<T>(value: T | null): T {
  if (value === null) throw new Error('a request lacks a field that its status requires')
  return value
}
