import type { ConformOptions } from '@mediamill/conformance/conform'
import { microUsd } from '@mediamill/contract/domain/money'
import { createKey } from '@mediamill/server/accounts/create-key'
import { adjustCredit } from '@mediamill/server/accounts/credit'
import { revokeKey } from '@mediamill/server/db/accounts/keys'
import { freePort } from './process.ts'
import { openAccount } from './request-rows.ts'
import { startService } from './service.ts'

type ConformingService = AsyncDisposable & {
  given: Pick<ConformOptions, 'baseUrl' | 'key' | 'keys' | 'secret' | 'listenOn'>
}

/** Starts a service with every kind of account that the conformance checks use. */
export async function startConformingService(settings: Record<string, string> = {}): Promise<ConformingService> {
  const listenOn = `127.0.0.1:${await freePort()}`
  const service = await startService({ allowed: [listenOn], settings })
  const { sql, account } = service
  await sql`update accounts set requests_per_minute = 100000, concurrent_requests = 20 where id = ${account.id}`
  const other = await openAccount(sql)
  const free = await openAccount(sql)
  const poor = await openAccount(sql)
  await adjustCredit(sql, poor.id, microUsd(-1_000_000), 'a test')
  const suspended = await openAccount(sql)
  await sql`update accounts set suspended = true where id = ${suspended.id}`
  const small = await openAccount(sql)
  await sql`
    update accounts set requests_per_minute = 100000, concurrent_requests = 2, max_source_bytes = 20000
    where id = ${small.id}`
  const revoked = await createKey(sql, account.id, { name: 'revoked', mode: 'live' })
  if (revoked === undefined) throw new Error('the account is gone')
  await revokeKey(sql, revoked.row.id)
  return {
    given: {
      baseUrl: service.url,
      key: account.liveKey,
      keys: {
        test: account.testKey,
        other: other.liveKey,
        free: free.liveKey,
        poor: poor.liveKey,
        suspended: suspended.liveKey,
        revoked: revoked.key,
        small: small.liveKey,
      },
      secret: account.webhookSecret,
      listenOn,
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
