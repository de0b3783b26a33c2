import type { Runner } from '../db/connection/connect.ts'
import { listSecretKeys } from '../db/secret-keys.ts'
import { fingerprintsOf } from './fingerprints.ts'
import type { SealedCounts } from './sealed-values.ts'
import { countSealed, sumCounts } from './sealed-values.ts'

export type KeyStatus = {
  fingerprint: string
  /** The position of the key in SECRET_KEY, from 0. `undefined` if this process lacks the key. */
  position: number | undefined
  /** `undefined` if no process has started with this key as its first key. */
  firstUsedAt: Date | undefined
  lastUsedAt: Date | undefined
  retiredAt: Date | undefined
  /** The number of values that this key encrypts. `undefined` if this process lacks the key and no value names it. */
  sealed: SealedCounts | undefined
}

export type KeyRingStatus = {
  keys: KeyStatus[]
  unreadable: SealedCounts
}

const NONE = sumCounts([])

/** Returns the keys of the ring, oldest first, then the keys of this process that are not in the ring. */
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
