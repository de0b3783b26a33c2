import type { RequestStatus } from '../../domain/request.ts'

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

/** What requests are listed: those of an account, with an id below `before`, at most so many. */
export type Page = { accountId: number; before: number; limit: number }
