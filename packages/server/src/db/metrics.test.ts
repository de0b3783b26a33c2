import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { startPair, whyNoPair } from '@mediamill/lab/support/database-pair'
import { until } from '@mediamill/lab/support/process'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { accept } from '../requests/accept.ts'
import { connect } from './connection/connect.ts'
import {
  countDeadRows,
  countLanes,
  measureStoredResults,
  oldestSnapshot,
  oldestXmins,
  readStoredResults,
} from './metrics.ts'

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

test('the wait percentiles of a lane count each account once, so that one account with many requests does not hide the others', async () => {
  const accounts = await Promise.all(Array.from({ length: 3 }, () => openAccount(sql)))
  for (const [index, account] of accounts.entries()) {
    for (let jobs = 0; jobs < (index === 0 ? 2 : 1); jobs += 1)
      await accept(sql, acceptable(account.id, { livemode: false }))
    const wait = [10, 100, 1_000][index] ?? 0
    await sql`update jobs set created_at = now() - ${wait} * interval '1 second' where account_id = ${account.id}`
  }
  const image = (await countLanes(sql)).find(({ lane }) => lane === 'image')
  assert.equal(image?.queued, 4)
  const waits = [image.oldestSeconds, image.accountsP50Seconds, image.accountsP95Seconds]
  // The 0.95 quantile of 10, 100, and 1000 is 910: nine tenths of the way from the second value to the third.
  for (const [index, wanted] of [1_000, 100, 910].entries())
    assert.ok(Math.abs((waits[index] ?? 0) - wanted) < 30, waits.join())
  assert.deepEqual(
    (await countLanes(sql)).filter(({ lane }) => lane !== 'image').map(({ accountsP95Seconds }) => accountsP95Seconds),
    [0, 0, 0],
  )
})

test('the sum of stored results counts results until their files are deleted, is at most 10 minutes old, and reads only an index', async () => {
  assert.ok(Number.isNaN(await readStoredResults(sql)))
  const account = await openAccount(sql)
  const [kept, deleted] = await Promise.all([1, 2].map(() => accept(sql, acceptable(account.id, { livemode: false }))))
  await sql`
    update requests set status = 'succeeded', completed_at = now(), files = '[]', deleted_at = now(), sweep_at = now(),
      result_bytes = case id when ${kept?.id ?? 0} then 3000000000 else 500 end
    where account_id = ${account.id}`
  await measureStoredResults(sql)
  assert.equal(await readStoredResults(sql), 3_000_000_500)

  await sql`update requests set sweep_at = null where id = ${deleted?.id ?? 0}`
  await measureStoredResults(sql)
  assert.equal(await readStoredResults(sql), 3_000_000_500, 'the last sum is not 10 minutes old')
  await sql`update stored_results set measured_at = now() - interval '11 minutes'`
  await measureStoredResults(sql)
  assert.equal(await readStoredResults(sql), 3_000_000_000)

  const plan = await sql.begin(async (tx) => {
    await tx`set local enable_seqscan = off`
    await tx`set local enable_bitmapscan = off`
    return await tx.unsafe('explain select sum(result_bytes) from requests where sweep_at is not null')
  })
  assert.match(JSON.stringify([...plan]), /Index Only Scan using requests_stored/)
})

test('the age of the oldest snapshot considers prepared transactions, standbys with hot_standby_feedback, and replication slots', {
  skip: whyNoPair() ?? false,
  timeout: 120_000,
}, async () => {
  await using stack = new AsyncDisposableStack()
  const pair = stack.use(await startPair({ synchronous: false }))
  const [primary, standby] = pair.urls.map((url) => {
    const server = connect(url, { connections: 2, applicationName: 'test' })
    stack.defer(() => server.end({ timeout: 1 }))
    return server
  })
  assert.ok(primary !== undefined && standby !== undefined)

  assert.equal(await oldestSnapshot(primary), 0)
  await primary.unsafe('begin; create table held (id integer); prepare transaction $$left$$')
  await until(async () => (await oldestSnapshot(primary)) > 0)
  await primary.unsafe('rollback prepared $$left$$')
  assert.equal(await oldestSnapshot(primary), 0)

  const transactionsOf = async (wanted: 'slot' | 'standby') =>
    (await oldestXmins(primary)).find(({ holder }) => holder === wanted)?.transactions ?? -1
  assert.deepEqual([await transactionsOf('slot'), await transactionsOf('standby')], [0, 0])
  await standby.begin(async (tx) => {
    await tx`set transaction isolation level repeatable read`
    await tx`select count(*) from pg_class`
    await standby.unsafe('alter system set hot_standby_feedback = on')
    await standby`select pg_reload_conf()`
    await until(async () => {
      await primary`select pg_current_xact_id()`
      return (await transactionsOf('standby')) > 10
    })
    await primary`select pg_create_physical_replication_slot('standby')`
    await standby.unsafe(`alter system set primary_slot_name = 'standby'`)
    await standby`select pg_reload_conf()`
    await until(async () => {
      await primary`select pg_current_xact_id()`
      return (await transactionsOf('slot')) > 10
    })
  })
})
