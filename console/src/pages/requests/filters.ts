import { ENDPOINT_NAMES } from '@mediamill/cli/src/operations/endpoint-names'
import { REQUEST_STATUSES } from '@mediamill/contract/domain/request'
import type { Query } from '../../api/call.ts'
import { textOf } from '../../components/text-of.ts'

export type Filters = {
  status?: string
  endpoint?: string
  mode?: 'live' | 'test'
  customer?: string
  from?: string
  to?: string
  metadata?: string
  /** The id of the last request on the previous page. */
  before?: number
}

export function readFilters(search: Record<string, unknown>): Filters {
  const text = (name: string) => {
    const value = search[name]
    return value === undefined || value === '' ? undefined : textOf(value)
  }
  const mode = text('mode')
  const before = Number(search['before'])
  const found = {
    status: REQUEST_STATUSES.find((status) => status === text('status')),
    endpoint: ENDPOINT_NAMES.find((endpoint) => endpoint === text('endpoint')),
    mode: mode === 'live' || mode === 'test' ? mode : undefined,
    customer: text('customer'),
    from: text('from'),
    to: text('to'),
    metadata: text('metadata'),
    before: Number.isSafeInteger(before) && before > 0 ? before : undefined,
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

export function queryOf({ status, endpoint, mode, customer, from, to, metadata, before }: Filters): Query {
  const equals = metadata?.indexOf('=') ?? -1
  return {
    limit: 25,
    status,
    endpoint,
    livemode: mode === undefined ? undefined : mode === 'live',
    customer,
    created_from: from,
    created_to: to,
    before,
    ...(metadata !== undefined && equals > 0
      ? { [`metadata[${metadata.slice(0, equals)}]`]: metadata.slice(equals + 1) }
      : {}),
  }
}

export const isBadMetadata = (metadata: string | undefined) => metadata !== undefined && metadata.indexOf('=') < 1

/** Returns whether a filter is set. The current page does not count as a filter. */
export const isFiltered = (filters: Filters) => Object.keys(withoutPage(filters)).length > 0

export function withoutPage({ before: _, ...filters }: Filters): Filters {
  return filters
}
