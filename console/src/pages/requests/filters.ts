import { ENDPOINT_NAMES, REQUEST_STATUSES } from '@mediamill/cli/src/operations/words'
import type { Query } from '../../api/call.ts'
import { textOf } from '../../components/text-of.ts'

/** What the list of requests shows, as it stands in the address. */
export type Filters = {
  status?: string
  endpoint?: string
  mode?: 'live' | 'test'
  customer?: string
  from?: string
  to?: string
  /** `key=value` of the metadata. */
  metadata?: string
  /** The last id of the page before. */
  before?: number
}

/** Reads filters from an address, and leaves out whatever is none. */
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

/** The same filters as the interface takes them. */
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

/** Whether the metadata filter has no key or no `=`, so that it cannot be applied. */
export const isBadMetadata = (metadata: string | undefined) => metadata !== undefined && metadata.indexOf('=') < 1

/** Whether the list leaves out any requests. */
export const isFiltered = (filters: Filters) =>
  Object.keys(filters).some((name) => name !== 'before' && name !== 'account')

/** The same filters on their first page. */
export function withoutPage({ before: _, ...filters }: Filters): Filters {
  return filters
}
