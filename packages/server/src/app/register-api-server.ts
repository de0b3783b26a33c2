import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { fingerprintsOf } from '../accounts/fingerprints.ts'
import { deleteApiServer, renewApiServer } from '../db/api-servers.ts'
import type { Sql } from '../db/connection/connect.ts'
import { schemaVersion } from '../db/migrate.ts'
import { versionText } from '../lib/program-version.ts'
import { every } from '../lib/time/every.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import type { Logger } from '../telemetry/log.ts'

const RENEW_MS = 5_000
const DELETE_TIMEOUT_MS = 1_000

type Registration = { sql: Sql; address: string; secretKey: string; log: Logger; signal: AbortSignal }

/** Registers an API server for `mediamill doctor --fleet`, until `signal` aborts. Disposal deletes the registration. */
export async function registerApiServer(options: Registration): Promise<AsyncDisposable> {
  const { sql, address, secretKey, log, signal } = options
  const id = randomUUID()
  const keys = fingerprintsOf(secretKey)
  const server = {
    id,
    host: hostname(),
    pid: process.pid,
    address,
    version: versionText(),
    schema: await schemaVersion(),
    keys,
  }
  const renew = async () => {
    try {
      await renewApiServer(sql, server)
    } catch (error) {
      log.debug({ err: error }, 'registering the API server failed; retrying in 5 s')
    }
  }
  await renew()
  every(RENEW_MS, signal, renew)
  return {
    async [Symbol.asyncDispose]() {
      await withTimeout(deleteApiServer(sql, id), DELETE_TIMEOUT_MS, () => undefined).catch(() => undefined)
    },
  }
}
