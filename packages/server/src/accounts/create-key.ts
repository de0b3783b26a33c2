import type { KeyRestrictions } from '@mediamill/contract/domain/key-restrictions'
import type { KeyRow } from '../db/accounts/keys.ts'
import { insertKey } from '../db/accounts/keys.ts'
import type { Runner } from '../db/connection/connect.ts'
import type { Mode } from './key.ts'
import { hashKey, makeKey } from './key.ts'

/** Creates an API key. Stores only the hash of the key, so the caller must show `key` at once. */
export async function createKey(
  sql: Runner,
  accountId: number,
  options: { name: string; mode: Mode; restrictions?: KeyRestrictions | undefined },
): Promise<{ row: KeyRow; key: string } | undefined> {
  const restrictions = options.restrictions ?? null
  const key = makeKey(options.mode, restrictions !== null)
  const livemode = options.mode === 'live'
  const row = await insertKey(sql, {
    accountId,
    name: options.name,
    livemode,
    hash: Buffer.from(hashKey(key), 'hex'),
    lastFour: key.slice(-4),
    restrictions,
  })
  return row === undefined ? undefined : { row, key }
}
