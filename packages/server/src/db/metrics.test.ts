import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { countDeadRows } from './metrics.ts'

const { sql } = await sharedDatabase()

async function autovacuumRows(name: string): Promise<number | undefined> {
  return (await countDeadRows(sql)).find(({ table }) => table === name)?.autovacuumRows
}

test('the number of dead rows at which autovacuum starts follows the settings and the size of the table', async () => {
  await sql`alter table workers set (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.5)`
  await sql`insert into workers (id, host) select gen_random_uuid(), 'a' from generate_series(1, 100)`
  await sql`analyze workers`
  assert.equal(await autovacuumRows('workers'), 550)

  const [settings] = await sql<{ start: number; version: number }[]>`
    select current_setting('autovacuum_vacuum_threshold')::float + 100 * current_setting('autovacuum_vacuum_scale_factor')::float as start,
      current_setting('server_version_num')::integer as version`
  await sql`alter table workers reset (autovacuum_vacuum_threshold, autovacuum_vacuum_scale_factor)`
  assert.equal(await autovacuumRows('workers'), settings?.start)

  // PostgreSQL 18 added the setting `autovacuum_vacuum_max_threshold`.
  if (settings === undefined || settings.version < 180_000) return
  await sql`alter table workers set (autovacuum_vacuum_max_threshold = 60)`
  assert.equal(await autovacuumRows('workers'), 60)
  await sql`alter table workers set (autovacuum_vacuum_max_threshold = -1)`
  assert.equal(await autovacuumRows('workers'), settings.start)
})
