import type { AccountId } from '@mediamill/contract/domain/ids'
import type { Tier } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'

export type Account = {
  id: AccountId
  name: string
  email: string
  tier: Tier
  /** The sum of all ledger entries. Amounts on hold for open requests are not subtracted. */
  balance: MicroUsd
  webhookUrl: string | null
  suspended: boolean
  createdAt: Date
}
