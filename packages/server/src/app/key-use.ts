import { fingerprintsOf } from '../accounts/fingerprints.ts'
import { USE_MS } from '../accounts/key-ring.ts'
import type { Sql } from '../db/connection/connect.ts'
import { recordSecretKey } from '../db/secret-keys.ts'
import { every } from '../lib/time/every.ts'
import type { Logger } from '../telemetry/log.ts'

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
