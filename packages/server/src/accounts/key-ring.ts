import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Runner, Sql } from '../db/connection/connect.ts'
import type { SecretKeyRow } from '../db/secret-keys.ts'
import { listSecretKeys, lockSecretKeys, recordSecretKey } from '../db/secret-keys.ts'
import type { Author } from './audit.ts'
import { audited } from './audit.ts'
import { fingerprintsOf } from './fingerprints.ts'
import { canUnseal } from './sealed-values.ts'

/** How often a process records that it uses the first key in its SECRET_KEY, in milliseconds. */
export const USE_MS = 60_000

/** Records the first key of `secretKey` in the database. Throws `OperatorError` if `secretKey` lacks a key in use. */
export async function joinKeyRing(sql: Sql, secretKey: string): Promise<void> {
  await sql.begin(async (tx) => {
    await joinLocked(tx, secretKey, false)
  })
}

/** Records a key before its first use. Throws `OperatorError` if the key is retired, or not in SECRET_KEY. */
export async function addKey(
  sql: Sql,
  fingerprint: string,
  { secretKey, isForced, author }: { secretKey: string; isForced: boolean; author: Author },
): Promise<void> {
  const own = fingerprintsOf(secretKey)
  if (!own.includes(fingerprint)) {
    throw new OperatorError(`SECRET_KEY has no key ${fingerprint}. It has ${listOf(own)}.`)
  }
  const change = { accountId: null, action: 'secret_key.added', subject: fingerprint, detail: { forced: isForced } }
  await audited(sql, author, change, async (tx) => {
    const ring = await joinLocked(tx, secretKey, isForced)
    if (ring.some((row) => row.fingerprint === fingerprint && row.retiredAt !== null)) {
      throw new OperatorError(`The key ${fingerprint} is retired.`)
    }
    if (ring.some((row) => row.fingerprint === fingerprint)) return undefined
    if (fingerprint !== own[0]) await recordSecretKey(tx, fingerprint)
    return true
  })
}

async function joinLocked(tx: Runner, secretKey: string, isForced: boolean): Promise<SecretKeyRow[]> {
  const own = fingerprintsOf(secretKey)
  await lockSecretKeys(tx)
  const ring = await listSecretKeys(tx)
  checkKeys(ring, own)
  if (ring.length === 0 && !isForced && !(await canUnseal(tx, secretKey))) {
    throw new OperatorError(
      `SECRET_KEY cannot decrypt any webhook secret in this database. This process has ${listOf(own)}. Set SECRET_KEY to the key that the earlier processes of this database had. If that key is lost, run mediamill key-ring add --force.`,
    )
  }
  await recordSecretKey(tx, own[0])
  return ring
}

/**
 * Checks the keys of a SECRET_KEY. Throws `OperatorError` if `own` lacks a key that is not retired, or if the first key
 * in `own` is retired.
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
