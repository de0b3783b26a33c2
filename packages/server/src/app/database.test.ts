import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { createLog } from '../telemetry/log.ts'
import { openNotices } from './database.ts'
import type { ServiceConfig } from './installation.ts'

const { sql, url } = await sharedDatabase()

async function linesOf(parameters: Record<string, string>): Promise<string[]> {
  const lines: string[] = []
  const log = createLog('warn', 'test', { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
  const databaseListenUrl = new URL(url)
  for (const [name, value] of Object.entries(parameters)) databaseListenUrl.searchParams.set(name, value)
  const config = { databaseUrl: url, databaseListenUrl: databaseListenUrl.href } as ServiceConfig
  const pool = await openNotices(config, sql, log)
  assert.ok(pool)
  await pool`select 1`
  await pool.end({ timeout: 5 })
  return lines
}

test('if a process cannot check that DATABASE_LISTEN_URL leads to its own database, one warning names the missing grant, and the process starts', async (t) => {
  const role = `listener_${randomUUID().slice(0, 8)}`
  await sql.unsafe(`create role ${role}`)
  t.after(async () => {
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`)
  })
  for (const parameters of [{ role }, { search_path: 'elsewhere' }]) {
    const [line, ...others] = await linesOf(parameters)
    assert.match(line ?? '', /^DATABASE_LISTEN_URL: .*Grant the role SELECT on the table/)
    assert.deepEqual(others, [])
  }
  await sql.unsafe(`grant select on database_id to ${role}`)
  assert.deepEqual(await linesOf({ role }), [])
})
