import type { FastifyInstance } from 'fastify'
import type { Caller } from '../accounts/authenticate.ts'
import { toMoney } from '../domain/money.ts'
import { catalog } from '../operations/schema.ts'

/** Spec 4.4: who calls and what it may do, and what can be done. */
export function serveAccount(app: FastifyInstance): void {
  app.get('/v1/account', async (call) => presentAccount(call.caller))
  app.get('/v1/operations', async () => ({ object: 'operations', data: catalog() }))
}

/** The Account object of Spec 2.5; its limits are those of the key that asks. */
function presentAccount({ account, held, available, livemode, limits }: Caller): object {
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
    limits: {
      requests_per_minute: limits.requestsPerMinute,
      concurrent_requests: limits.concurrentRequests,
      max_source_bytes: limits.maxSourceBytes,
    },
    suspended: account.suspended,
    created_at: account.createdAt.toISOString(),
  }
}
