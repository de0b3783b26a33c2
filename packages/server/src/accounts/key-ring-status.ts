import type { Runner } from '../db/connection/connect.ts'
import { listSecretKeys } from '../db/secret-keys.ts'
import { fingerprintsOf } from './fingerprints.ts'
import type { SealedCounts } from './sealed-values.ts'
import { countSealed, sumCounts } from './sealed-values.ts'

export type KeyStatus = {
  fingerprint: string
  /** The index of the key in this process's SECRET_KEY, or `undefined` if SECRET_KEY does not contain the key. */
  position: number | undefined
  firstUsedAt: Date | undefined
  lastUsedAt: Date | undefined
  retiredAt: Date | undefined
  /** How many stored values this key encrypts. `undefined` if unknown, because this process lacks the key. */
  sealed: SealedCounts | undefined
}

export type KeyRingStatus = {
  keys: KeyStatus[]
  unreadable: SealedCounts
}

const NONE = sumCounts([])

export async function readKeyRing(sql: Runner, secretKey: string): Promise<KeyRingStatus> {
  const own = fingerprintsOf(secretKey)
  const ring = new Map((await listSecretKeys(sql)).map((row) => [row.fingerprint, row]))
  const counts = await countSealed(sql, secretKey)
  const keys = [...new Set([...ring.keys(), ...own])].map((fingerprint) => {
    const row = ring.get(fingerprint)
    const position = own.indexOf(fingerprint)
    return {
      fingerprint,
      position: position === -1 ? undefined : position,
      firstUsedAt: row?.firstUsedAt,
      lastUsedAt: row?.lastUsedAt,
      retiredAt: row?.retiredAt ?? undefined,
      sealed: counts.get(fingerprint) ?? (position === -1 ? undefined : NONE),
    }
  })
  const foreign = [...counts].filter(([fingerprint]) => fingerprint === null || !own.includes(fingerprint))
  return { keys, unreadable: sumCounts(foreign.map(([, count]) => count)) }
}
