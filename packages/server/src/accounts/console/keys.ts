import { ApiError } from '@mediamill/contract/domain/errors'
import type { KeyRestrictions } from '@mediamill/contract/domain/key-restrictions'
import { CONSOLE_LIMITS } from '@mediamill/contract/domain/limits'
import { lockAccount } from '../../db/accounts/accounts.ts'
import type { KeyRow } from '../../db/accounts/keys.ts'
import { countActiveKeys, revokeKey } from '../../db/accounts/keys.ts'
import type { Sql } from '../../db/connection/connect.ts'
import type { Author } from '../audit.ts'
import { audited } from '../audit.ts'
import { createKey } from '../create-key.ts'
import type { Mode } from '../key.ts'

/** Creates an API key. Throws `conflict` if the account has the maximum number of active keys. */
export async function makeOwnKey(
  sql: Sql,
  author: Author,
  accountId: number,
  options: { name: string; mode: Mode; restrictions?: KeyRestrictions | undefined },
): Promise<{ row: KeyRow; key: string } | undefined> {
  const change = { accountId, action: 'key.created', detail: options }
  return await audited(sql, author, change, async (tx, complete) => {
    await lockAccount(tx, accountId)
    if ((await countActiveKeys(tx, accountId)) >= CONSOLE_LIMITS.activeKeys) throw tooManyKeys()
    const made = await createKey(tx, accountId, options)
    complete({ subject: made === undefined ? null : String(made.row.id) })
    return made
  })
}

export async function revokeKeyOf(
  sql: Sql,
  author: Author,
  accountId: number | null,
  id: number,
): Promise<KeyRow | undefined> {
  const change = { accountId, action: 'key.revoked', subject: String(id) }
  return await audited(sql, author, change, async (tx, complete) => {
    const row = await revokeKey(tx, id, accountId)
    if (row !== undefined) complete({ accountId: row.accountId, detail: { name: row.name } })
    return row
  })
}

function tooManyKeys(): ApiError {
  const message = `An account can have at most ${CONSOLE_LIMITS.activeKeys} active keys. Revoke a key that is no longer used.`
  return new ApiError('conflict', message)
}
