import type { Runner, Sql } from '../db/connection/connect.ts'
import type { SealedColumn, SealedRow } from '../db/sealed-values.ts'
import { SEALED_DESTINATIONS, SEALED_SECRETS } from '../db/sealed-values.ts'
import { fingerprintsOf } from './fingerprints.ts'
import type { SealedUse } from './seal.ts'
import { accountContext, seal, tryUnseal } from './seal.ts'

const BATCH = 500

export type SealedCounts = { webhookSecrets: number; destinations: number }

const KINDS = [
  { name: 'webhookSecrets', use: 'webhook secrets', column: SEALED_SECRETS },
  { name: 'destinations', use: 'destinations', column: SEALED_DESTINATIONS },
] as const satisfies readonly { name: keyof SealedCounts; use: SealedUse; column: SealedColumn }[]

/** Counts the encrypted values by the fingerprint of their key. Values whose key is unknown are counted as `null`. */
export async function countSealed(sql: Runner, secretKey: string): Promise<Map<string | null, SealedCounts>> {
  const own = fingerprintsOf(secretKey)
  const counts = new Map<string | null, SealedCounts>()
  for (const { name, use, column } of KINDS) {
    for await (const { accountId, sealed, sealedBy } of sealedValues(sql, column)) {
      const sealer = tryUnseal(secretKey, accountContext(accountId), sealed, use)?.position
      const named = sealedBy === null || own.includes(sealedBy) ? null : sealedBy
      const fingerprint = sealer === undefined ? named : (own[sealer] ?? null)
      const count = counts.get(fingerprint) ?? { webhookSecrets: 0, destinations: 0 }
      count[name] += 1
      counts.set(fingerprint, count)
    }
  }
  return counts
}

export const sumCounts = (counts: readonly (SealedCounts | undefined)[]): SealedCounts => ({
  webhookSecrets: counts.reduce((sum, count) => sum + (count?.webhookSecrets ?? 0), 0),
  destinations: counts.reduce((sum, count) => sum + (count?.destinations ?? 0), 0),
})

/** The result of `reseal`. `unreadable` counts the values that no key of this process can decrypt. */
type Resealed = SealedCounts & { unreadable: number }

/**
 * Encrypts all stored values with the first key. Can be interrupted and repeated. Other processes can run meanwhile.
 */
export async function reseal(sql: Sql, secretKey: string): Promise<Resealed> {
  const resealed = { webhookSecrets: 0, destinations: 0, unreadable: 0 }
  const [first] = fingerprintsOf(secretKey)
  for (const { name, use, column } of KINDS) {
    for await (const { id, accountId, sealed, sealedBy } of sealedValues(sql, column)) {
      const context = accountContext(accountId)
      const found = tryUnseal(secretKey, context, sealed, use)
      if (found?.position === 0 && sealedBy === first) continue
      if (found === undefined) {
        resealed.unreadable += 1
        continue
      }
      const renewed = seal(secretKey, context, found.secret, use)
      if (await column.replace(sql, id, sealed, renewed)) resealed[name] += 1
    }
  }
  return resealed
}

/** Returns whether `secretKey` can decrypt any stored value. Returns `true` if no value is stored. */
export async function canUnseal(sql: Runner, secretKey: string): Promise<boolean> {
  let hasValues = false
  for (const { use, column } of KINDS) {
    for await (const { accountId, sealed } of sealedValues(sql, column)) {
      if (tryUnseal(secretKey, accountContext(accountId), sealed, use) !== undefined) return true
      hasValues = true
    }
  }
  return !hasValues
}

type SealedValue = SealedRow & { sealed: Buffer }

async function* sealedValues(sql: Runner, { list }: SealedColumn): AsyncGenerator<SealedValue> {
  let rows: SealedRow[]
  let after = 0
  do {
    rows = await list(sql, after, BATCH)
    for (const row of rows) if (hasValue(row)) yield row
    after = rows.at(-1)?.id ?? after
  } while (rows.length === BATCH)
}

const hasValue = (row: SealedRow): row is SealedValue => row.sealed !== null
