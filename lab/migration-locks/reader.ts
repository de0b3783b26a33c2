import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '@mediamill/server/db/connection/connect'

/** How long it rests in between: whoever waits for it has that long. */
const REST_MS = 500

/** Reads from every table in transactions of so long, one after the other, as reports and back-ups do. */
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
