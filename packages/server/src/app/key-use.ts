import { fingerprintsOf } from '../accounts/fingerprints.ts'
import { USE_MS } from '../accounts/key-ring.ts'
import type { Sql } from '../db/connection/connect.ts'
import { recordSecretKey } from '../db/secret-keys.ts'
import { every } from '../lib/time/every.ts'
import { logErrors } from '../queue/log-errors.ts'
import type { Logger } from '../telemetry/log.ts'

export function recordKeyUse(sql: Sql, secretKey: string, log: Logger, signal: AbortSignal): void {
  const [fingerprint] = fingerprintsOf(secretKey)
  const record = () => recordSecretKey(sql, fingerprint)
  every(USE_MS, signal, logErrors(log, 'recording the use of the secret key', record))
}
