import { hkdfSync } from 'node:crypto'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { secretKeysOf } from '@mediamill/contract/domain/secret-key'
import type { Sql } from '../db/connection/connect.ts'
import { listSecretKeys, lockSecretKeys, recordSecretKey } from '../db/secret-keys.ts'
import { every } from '../lib/time/every.ts'
import type { Logger } from '../telemetry/log.ts'

/** How often a process records that it uses its first key. */
export const USE_MS = 60_000

/** Returns the name of a key: eight hexadecimal digits. They have a label of their own, so they do not reveal the key. */
export const fingerprintOf = (key: string): string =>
  Buffer.from(hkdfSync('sha256', key, '', 'mediamill key fingerprint 1', 4)).toString('hex')

/** Returns the fingerprints of a `SECRET_KEY`, newest first. */
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
    const keys = await listSecretKeys(tx)
    const missing = keys.filter(({ fingerprint, retiredAt }) => retiredAt === null && !own.includes(fingerprint))
    if (missing.length > 0)
      throw new OperatorError(
        missingText(
          missing.map(({ fingerprint }) => fingerprint),
          own,
        ),
      )
    if (keys.some(({ fingerprint, retiredAt }) => retiredAt !== null && fingerprint === own[0])) {
      throw new OperatorError(
        `The first key of SECRET_KEY, ${own[0]}, is retired. Put a key first that is not retired: mediamill key-ring status lists the keys.`,
      )
    }
    await recordSecretKey(tx, own[0])
  })
}

const missingText = (missing: readonly string[], own: readonly string[]) =>
  `SECRET_KEY lacks ${listOf(missing)}, which this database requires. This process has ${listOf(own)}. Add the missing key to SECRET_KEY after a comma. If the key is lost, run mediamill key-ring retire ${missing[0]} --force.`

const listOf = (fingerprints: readonly string[]) =>
  `${fingerprints.length === 1 ? 'the key' : 'the keys'} ${fingerprints.join(' and ')}`

/** Records once a minute that this process uses its first key, until the signal. */
export function recordKeyUse(sql: Sql, secretKey: string, log: Logger, signal: AbortSignal): void {
  const [fingerprint] = fingerprintsOf(secretKey)
  every(USE_MS, signal, async () => {
    try {
      await recordSecretKey(sql, fingerprint)
    } catch (error) {
      log.warn({ err: error }, 'recording the use of the secret key failed; retrying in a minute')
    }
  })
}
