import { randomUUID } from 'node:crypto'
import type { AccountId } from '@mediamill/contract/domain/ids'
import type { Limits } from '@mediamill/contract/domain/limits'
import { LIVE_LIMITS, TEST_LIMITS } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd } from '@mediamill/contract/domain/money'
import type { Outcome } from '@mediamill/contract/domain/request'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import type { NewAccount } from '@mediamill/server/accounts/create-account'
import { createAccount } from '@mediamill/server/accounts/create-account'
import { insertPurchase } from '@mediamill/server/db/accounts/accounts'
import type { Sql } from '@mediamill/server/db/connection/connect'
import type { Acceptable } from '@mediamill/server/requests/accept'
import { renew } from '@mediamill/server/requests/claim'

export const SECRET_KEY = 'a secret key that only these tests have'
export const RETENTION_MS = 7 * 86_400_000

/** Creates an account. `credit` is added to the initial grant, and makes the account a paid account. */
export async function openAccount(sql: Sql, credit: MicroUsd = microUsd(0)): Promise<NewAccount & { id: AccountId }> {
  const account = await createAccount(sql, SECRET_KEY, { name: 'Ada', email: 'ada@example.com' })
  if (credit > 0) await insertPurchase(sql, account.id, credit, 'test')
  return { ...account, id: account.id as AccountId }
}

/** Returns a valid call: by default, images/process with a live key. */
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

export async function aliveWorker(sql: Sql): Promise<string> {
  const id = randomUUID()
  await renew(sql, { id, host: 'test' }, [])
  return id
}

export function succeeded(price = 2_000, endpoint: EndpointName = 'images/process'): Outcome {
  const { data } = endpointNamed(endpoint).example
  const file = { key: `${'0'.repeat(40)}.jpg`, format: 'jpg', size: 10, sha256: 'ab' } as const
  return { status: 'succeeded', price: microUsd(price), data, files: [file], sourceBytes: 100 }
}

export function failed(): Outcome {
  return { status: 'failed', error: { code: 'processing_failed', message: 'No.' }, sourceBytes: 5 }
}
