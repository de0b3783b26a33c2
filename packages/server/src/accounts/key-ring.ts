import { hkdfSync } from 'node:crypto'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { secretKeysOf } from '@mediamill/contract/domain/secret-key'
import type { Sql } from '../db/connection/connect.ts'
import type { SecretKeyRow } from '../db/secret-keys.ts'
import { listSecretKeys, lockSecretKeys, recordSecretKey } from '../db/secret-keys.ts'

/** How often a process records that it uses its first key. */
export const USE_MS = 60_000

/** Returns the name of a key: eight hexadecimal digits. They have a label of their own, so they do not reveal the key. */
export const fingerprintOf = (key: string): string =>
  Buffer.from(hkdfSync('sha256', key, '', 'mediamill key fingerprint 1', 4)).toString('hex')

export function fingerprintsOf(secretKey: string): [string, ...string[]] {
  const [newest, ...older] = secretKeysOf(secretKey)
  return [fingerprintOf(newest), ...older.map(fingerprintOf)]
}

/**
 * Adds the first key of this process to the key ring of the database.
 *
 * Throws `OperatorError` if this process lacks a key that is not retired: it could not verify links or decrypt secrets of
 * other processes. Throws it too if the first key is retired.
 */
export async function joinKeyRing(sql: Sql, secretKey: string): Promise<void> {
  const own = fingerprintsOf(secretKey)
  await sql.begin(async (tx) => {
    await lockSecretKeys(tx)
    checkKeys(await listSecretKeys(tx), own)
    await recordSecretKey(tx, own[0])
  })
}

/**
 * Throws `OperatorError` if this process lacks a key of the ring that is not retired, or if its first key is retired.
 */
export function checkKeys(ring: readonly SecretKeyRow[], own: readonly [string, ...string[]]): void {
  const inUse = ring.filter(({ retiredAt }) => retiredAt === null).map(({ fingerprint }) => fingerprint)
  const missing = inUse.filter((fingerprint) => !own.includes(fingerprint))
  if (missing.length > 0) throw new OperatorError(missingText(missing, own))
  if (inUse.includes(own[0]) || ring.every(({ fingerprint }) => fingerprint !== own[0])) return
  throw new OperatorError(
    `The first key of SECRET_KEY, ${own[0]}, is retired. Put a key first that is not retired: mediamill key-ring status lists the keys.`,
  )
}

const missingText = (missing: readonly string[], own: readonly string[]) =>
  `SECRET_KEY lacks ${listOf(missing)}, which this database requires. This process has ${listOf(own)}. Add the missing key to SECRET_KEY after a comma. If the key is lost, run mediamill key-ring retire ${missing[0]} --force.`

const listOf = (fingerprints: readonly string[]) =>
  `${fingerprints.length === 1 ? 'the key' : 'the keys'} ${fingerprints.join(' and ')}`
