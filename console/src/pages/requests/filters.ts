import { ENDPOINT_NAMES, REQUEST_STATUSES } from '@mediamill/cli/src/operations/words'
import type { Query } from '../../api/call.ts'
import { textOf } from '../../components/text-of.ts'

/** The filters of the request list as they are stored in the URL. */
export type Filters = {
  status?: string
  endpoint?: string
  mode?: 'live' | 'test'
  customer?: string
  from?: string
  to?: string
  /** `key=value` of the request's metadata. */
  metadata?: string
  /** The last id of the previous page. */
  before?: number
}

/** Reads filters from a URL, and omits invalid values. */
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

/** Converts filters to the query parameters of the API. */
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

/** Whether the metadata filter is invalid, because it has no key or no `=`. */
export const isBadMetadata = (metadata: string | undefined) => metadata !== undefined && metadata.indexOf('=') < 1

/** Whether any filter is set. */
export const isFiltered = (filters: Filters) =>
  Object.keys(filters).some((name) => name !== 'before' && name !== 'account')

/** The same filters, on the first page. */
export function withoutPage({ before: _, ...filters }: Filters): Filters {
  return filters
}
