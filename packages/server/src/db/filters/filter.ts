import type { RequestStatus } from '@mediamill/contract/domain/request'

export type FilterRow = {
  status?: RequestStatus | undefined
  endpoint?: string | undefined
  customer?: string | undefined
  livemode?: boolean | undefined
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  pairs?: readonly number[]
}

export type Page = { accountId: number; before: number; limit: number }
