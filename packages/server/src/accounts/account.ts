import type { AccountId } from '@mediamill/contract/domain/ids'
import type { Tier } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'

/** The one who pays, and owns requests (Spec 2.5). */
export type Account = {
  id: AccountId
  name: string
  email: string
  tier: Tier
  /** What has been paid in and not been charged; holds of open requests are not taken off. */
  balance: MicroUsd
  webhookUrl: string | null
  suspended: boolean
  createdAt: Date
}
