import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '@mediamill/server/db/connection/connect'

/** The pause between two transactions of the reader. A waiting migration can get its lock in this pause. */
const REST_MS = 500

/** Reads every table in transactions that stay open for `heldMs`, as reports and backups do. */
export function openReader(url: string, heldMs: number): AsyncDisposable {
  const sql = connect(url, { connections: 1, applicationName: 'reader' })
  const over = new AbortController()
  const reading = (async () => {
    while (!over.signal.aborted) {
      await sql.begin(async (tx) => {
        const tables = await tx<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`
        for (const { name } of tables) await tx.unsafe(`select from ${name} limit 1`)
        await delay(heldMs, undefined, { signal: over.signal }).catch(() => undefined)
      })
      await delay(REST_MS)
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      over.abort()
      await reading
      await sql.end({ timeout: 5 })
    },
  }
}
