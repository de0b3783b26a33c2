import type { RequestStatus } from '@mediamill/contract/domain/request'

/** The required properties of requests. A missing property matches any value. */
export type FilterRow = {
  status?: RequestStatus | undefined
  endpoint?: string | undefined
  customer?: string | undefined
  livemode?: boolean | undefined
  createdFrom?: Date | undefined
  /** Exclusive. */
  createdBefore?: Date | undefined
  /** Digests of metadata (`request_metadata`). */
  pairs?: readonly number[]
}

/** Selects a page of an account's requests, with ids below `before`. */
export type Page = { accountId: number; before: number; limit: number }
