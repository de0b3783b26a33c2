import { randomUUID } from 'node:crypto'
import type { NewAccount } from '../../src/accounts/create-account.ts'
import { createAccount } from '../../src/accounts/create-account.ts'
import { insertPurchase } from '../../src/db/accounts/accounts.ts'
import type { Sql } from '../../src/db/connection/connect.ts'
import type { AccountId } from '../../src/domain/ids.ts'
import type { Limits } from '../../src/domain/limits.ts'
import { LIVE_LIMITS, TEST_LIMITS } from '../../src/domain/limits.ts'
import type { MicroUsd } from '../../src/domain/money.ts'
import { microUsd } from '../../src/domain/money.ts'
import type { Outcome } from '../../src/domain/request.ts'
import type { EndpointName } from '../../src/endpoints/index.ts'
import { endpointNamed } from '../../src/endpoints/index.ts'
import type { Acceptable } from '../../src/requests/accept.ts'
import { renew } from '../../src/requests/claim.ts'

export const SECRET_KEY = 'a secret key that only these tests have'
export const RETENTION_MS = 7 * 86_400_000

/** An account with so much credit beyond its grant; with any, it is a paid one. */
export async function openAccount(sql: Sql, credit: MicroUsd = microUsd(0)): Promise<NewAccount & { id: AccountId }> {
  const account = await createAccount(sql, SECRET_KEY, { name: 'Ada', email: 'ada@example.com' })
  if (credit > 0) await insertPurchase(sql, account.id, credit, 'test')
  return { ...account, id: account.id as AccountId }
}

/** A call of that account which passed the door: live, for a resize, unless told otherwise. */
export function acceptable(accountId: number, differing: Partial<Acceptable> = {}): Acceptable {
  const livemode = differing.livemode ?? true
  const limits: Limits = livemode ? { ...LIVE_LIMITS.paid, concurrentRequests: 1000 } : TEST_LIMITS
  return {
    accountId,
    livemode,
    limits,
    endpoint: endpointNamed('images/process'),
    source: 'https://example.com/a.jpg',
    webhookUrl: null,
    input: { operations: [{ type: 'grayscale' }] },
    customer: null,
    metadata: null,
    idempotency: null,
    trace: null,
    ...differing,
  }
}

/** A worker's id that the database knows as alive. */
export async function aliveWorker(sql: Sql): Promise<string> {
  const id = randomUUID()
  await renew(sql, { id, host: 'test' }, [])
  return id
}

/** How an engine ends a request of an endpoint well, with the facts of its example. */
export function succeeded(price = 2_000, endpoint: EndpointName = 'images/process'): Outcome {
  const { data } = endpointNamed(endpoint).example
  const file = { key: `${'0'.repeat(40)}.jpg`, format: 'jpg', size: 10, sha256: 'ab' } as const
  return { status: 'succeeded', price: microUsd(price), data, files: [file], sourceBytes: 100 }
}

export function failed(): Outcome {
  return { status: 'failed', error: { code: 'processing_failed', message: 'No.' }, sourceBytes: 5 }
}
