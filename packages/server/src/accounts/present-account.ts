import { toMoney } from '@mediamill/contract/domain/money'
import type { AccountBody } from '@mediamill/contract/objects/account'
import type { Caller } from './authenticate.ts'
import { presentLimits } from './present-limits.ts'

export function presentAccount({ account, held, available, livemode, limits }: Caller): AccountBody {
  return {
    object: 'account',
    id: account.id,
    name: account.name,
    email: account.email,
    tier: account.tier,
    balance: toMoney(account.balance),
    held: toMoney(held),
    available: toMoney(available),
    webhook_url: account.webhookUrl,
    livemode,
    limits: presentLimits(limits),
    suspended: account.suspended,
    created_at: account.createdAt.toISOString(),
  }
}
