import type { AccountId } from '../domain/ids.ts'
import type { Tier } from '../domain/limits.ts'
import type { MicroUsd } from '../domain/money.ts'

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
