import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/authenticate.ts'
import { presentLimits } from '../../accounts/present-limits.ts'
import type { AccountBody } from '../../contract/account.ts'
import { presentCatalog } from '../../contract/present-catalog.ts'
import { getAccount } from '../../contract/routes/get-account.ts'
import { listOperations } from '../../contract/routes/list-operations.ts'
import { toMoney } from '../../domain/money.ts'
import { serveRoute } from '../serve-route.ts'

/** Spec 4.4: who calls and what it may do, and what can be done. */
export function serveAccount(app: FastifyInstance): void {
  serveRoute(app, getAccount, async (call) => presentAccount(call.caller))
  serveRoute(app, listOperations, async () => presentCatalog())
}

/** The Account object of Spec 2.5; its limits are those of the key that asks. */
function presentAccount({ account, held, available, livemode, limits }: Caller): AccountBody {
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
