import { formatDollars } from '@mediamill/contract/domain/money'
import type { FinalRequest } from '@mediamill/contract/domain/request'

type EndedBy = { attempt: number; workerId: string }

export function endOf(request: FinalRequest, by?: EndedBy): [fields: Record<string, unknown>, line: string] {
  const { id, endpoint, accountId, status } = request
  const took = request.timings === null ? '' : ` in ${request.timings.totalMs} ms`
  const line = `${id} ${endpoint} ${status}${took}`
  const fields = {
    account_id: accountId,
    endpoint,
    status,
    ...(request.timings !== null && { duration_ms: request.timings.totalMs }),
    ...(by !== undefined && { attempt: by.attempt, worker_id: by.workerId }),
  }
  switch (status) {
    case 'succeeded':
      return [
        { ...fields, price_micro_usd: request.price },
        `${line}, ${formatDollars(request.price)}, account ${accountId}`,
      ]
    case 'failed':
      return [
        { ...fields, code: request.error.code },
        `${line}, ${request.error.code}, account ${accountId}: ${request.error.message}`,
      ]
    case 'aborted':
      return [fields, `${line}, account ${accountId}`]
  }
}
