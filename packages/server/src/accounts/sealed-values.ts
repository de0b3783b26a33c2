import type { Sql } from '../db/connection/connect.ts'
import type { SealedColumn, SealedRow } from '../db/sealed-values.ts'
import { SEALED_DESTINATIONS, SEALED_SECRETS } from '../db/sealed-values.ts'
import { fingerprintsOf } from './key-ring.ts'
import type { SealedUse } from './seal.ts'
import { accountContext, seal, sealerOf, unseal } from './seal.ts'

/** How many rows are read at a time. */
const BATCH = 500

/** Numbers of encrypted values. */
export type SealedCounts = { webhookSecrets: number; destinations: number }

const KINDS = [
  { name: 'webhookSecrets', use: 'webhook secrets', column: SEALED_SECRETS },
  { name: 'destinations', use: 'destinations', column: SEALED_DESTINATIONS },
] as const satisfies readonly { name: keyof SealedCounts; use: SealedUse; column: SealedColumn }[]

/** Counts the encrypted values by the fingerprint of their key. Values that no key of `secretKey` opens are under `null`. */
export async function countSealed(sql: Sql, secretKey: string): Promise<Map<string | null, SealedCounts>> {
  const own = fingerprintsOf(secretKey)
  const counts = new Map<string | null, SealedCounts>()
  for (const { name, use, column } of KINDS) {
    for await (const { accountId, sealed } of sealedValues(sql, column)) {
      const sealer = sealerOf(secretKey, accountContext(accountId), sealed, use)
      const fingerprint = sealer === undefined ? null : (own[sealer] ?? null)
      const count = counts.get(fingerprint) ?? { webhookSecrets: 0, destinations: 0 }
      count[name] += 1
      counts.set(fingerprint, count)
    }
  }
  return counts
}

/** The result of `reseal`. `unreadable` values were encrypted with a key that this process lacks. */
export type Resealed = SealedCounts & { unreadable: number }

/**
 * Encrypts every value that an older key encrypted with the first key. Each value is replaced by itself, and only if it
 * has not changed meanwhile, so processes may run and the command may be interrupted.
 */
export async function reseal(sql: Sql, secretKey: string): Promise<Resealed> {
  const resealed = { webhookSecrets: 0, destinations: 0, unreadable: 0 }
  for (const { name, use, column } of KINDS) {
    for await (const { id, accountId, sealed } of sealedValues(sql, column)) {
      const context = accountContext(accountId)
      const sealer = sealerOf(secretKey, context, sealed, use)
      if (sealer === 0) continue
      if (sealer === undefined) {
        resealed.unreadable += 1
        continue
      }
      const renewed = seal(secretKey, context, unseal(secretKey, context, sealed, use), use)
      if (await column.replace(sql, id, sealed, renewed)) resealed[name] += 1
    }
  }
  return resealed
}

type SealedValue = SealedRow & { sealed: Buffer }

async function* sealedValues(sql: Sql, { list }: SealedColumn): AsyncGenerator<SealedValue> {
  let rows: SealedRow[]
  let after = 0
  do {
    rows = await list(sql, after, BATCH)
    for (const row of rows) if (hasValue(row)) yield row
    after = rows.at(-1)?.id ?? after
  } while (rows.length === BATCH)
}

const hasValue = (row: SealedRow): row is SealedValue => row.sealed !== null
