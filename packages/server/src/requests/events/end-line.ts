import { formatDollars } from '@mediamill/contract/domain/money'
import type { FinalRequest } from '@mediamill/contract/domain/request'

/** Words the end of a request for the log. It gives fields to programs and one line to people. */
export function endOf(request: FinalRequest): [fields: Record<string, unknown>, line: string] {
  const { id, endpoint, accountId, status } = request
  const took = request.timings === null ? '' : ` in ${request.timings.totalMs} ms`
  const line = `${id} ${endpoint} ${status}${took}`
  const fields = { account_id: accountId, endpoint }
  switch (status) {
    case 'succeeded':
      return [fields, `${line}, ${formatDollars(request.price)}, account ${accountId}`]
    case 'failed':
      return [
        { ...fields, code: request.error.code },
        `${line}, ${request.error.code}, account ${accountId}: ${request.error.message}`,
      ]
    case 'aborted':
      return [fields, `${line}, account ${accountId}`]
  }
}
