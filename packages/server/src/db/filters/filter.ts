import type { RequestStatus } from '@mediamill/contract/domain/request'

/** The properties that requests must have; a missing one may be anything. */
export type FilterRow = {
  status?: RequestStatus | undefined
  endpoint?: string | undefined
  customer?: string | undefined
  livemode?: boolean | undefined
  createdFrom?: Date | undefined
  /** Not this moment itself. */
  createdBefore?: Date | undefined
  /** Digests of metadata (`request_metadata`). */
  pairs?: readonly number[]
}

/** Bounds a page of an account's requests. They have an id below `before`. */
export type Page = { accountId: number; before: number; limit: number }
