import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { connect } from './connect.ts'
import { isDatabaseError } from './errors.ts'
import { json } from './json.ts'

const database = await sharedDatabase()

function open(connections = 1, url = database.url) {
  const sql = connect(url, { connections, applicationName: 'test' })
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) })
}

test('a value of each type survives a round trip to PostgreSQL', async () => {
  await using sql = open()
  const when = new Date('2026-01-02T03:04:05.678Z')
  const bytes = Buffer.from([0, 92, 255])
  const [row] = await sql`
    select ${when} as sent, '2026-01-02 03:04:05.678999+00'::timestamptz as micros, '2026-01-02'::date as day,
      '1969-12-31 23:59:59.9995+00'::timestamptz as early, ${2 ** 53 - 1}::bigint as big, count(*) as counted,
      ${bytes} as bytes, ${true} as yes, 0.5::float8 as half, 1.10::numeric as exact, ${null}::text as none,
      ${json({ b: 1, a: [] })} as json, ${json('text')}::jsonb as text, ${json([1])} as list, '1 day'::interval::text as span`
  assert.deepEqual(row, {
    sent: when,
    micros: when,
    day: new Date('2026-01-02T00:00:00Z'),
    early: new Date('1969-12-31 23:59:59.9995+00'),
    big: 2 ** 53 - 1,
    counted: 1,
    bytes,
    yes: true,
    half: 0.5,
    exact: '1.10',
    none: null,
    json: { b: 1, a: [] },
    text: 'text',
    list: [1],
    span: '1 day',
  })
})

test('a statement returns its rows and the number of changed rows', async () => {
  await using sql = open()
  assert.equal((await sql`create temp table t (n int)`).count, 0)
  const inserted = await sql`insert into t select generate_series(1, 3)`
  assert.deepEqual([inserted.count, [...inserted]], [3, []])
  assert.equal((await sql`select n from t where n > ${1}`).count, 2)
  assert.equal((await sql`select from ${sql('t')} where n = any(${[1, 9]})`).count, 1)
})

test('the error of a rejected statement has the SQLSTATE and the constraint, and the connection stays open', async () => {
  await using sql = open()
  await sql`create temp table t (n int constraint small check (n < 10))`
  const pid = async () => (await sql`select pg_backend_pid() as pid`)[0]?.['pid'] as number
  const before = await pid()
  await assert.rejects(sql`insert into t values (10)`, { code: '23514', constraint: 'small' })
  assert.equal(await pid(), before)
})

test('a failed statement fails its transaction even if its error is caught', async () => {
  await using sql = open()
  await sql`create temp table t (n int)`
  const begun = sql.begin(async (tx) => {
    await tx`insert into t values (1)`
    await tx`select 1 / 0`.catch(() => undefined)
    return 'done'
  })
  await assert.rejects(begun, (error) => isDatabaseError(error, '22012'))
  const next = sql.begin(async (tx) => {
    await tx`select 1 / 0`.catch(() => undefined)
    await tx`select 1`
  })
  await assert.rejects(next, (error) => isDatabaseError(error, '22012'), 'not that the transaction is aborted')
  assert.equal((await sql`select from t`).count, 0)
})

test("the pool rolls back a transaction if its callback throws, and returns the callback's result otherwise", async () => {
  await using sql = open()
  await sql`create temp table t (n int)`
  const failure = new Error('not this time')
  const failed = sql.begin(async (tx) => {
    await tx`insert into t values (1)`
    throw failure
  })
  await assert.rejects(failed, failure)
  const rows = await sql.begin((tx) => tx`insert into t values (2) returning n`)
  assert.deepEqual([...rows, ...(await sql`select n from t`)], [{ n: 2 }, { n: 2 }])
})

test('statements of a transaction run in order even if the code does not await them', async () => {
  await using sql = open()
  await sql`create temp table t (n int, at serial)`
  await sql.begin(async (tx) => {
    for (let n = 0; n < 5; n += 1) void tx`insert into t values (${n})`.execute()
  })
  const rows = await sql`select n from t order by at`
  assert.deepEqual(
    rows.map(({ n }) => n),
    [0, 1, 2, 3, 4],
  )
})

test('a reserved connection returns to the pool, and is closed if a transaction is still open', async () => {
  await using sql = open()
  const pids: unknown[] = []
  for (const last of ['select 1', 'begin', 'select 1']) {
    const own = await sql.reserve()
    pids.push(own.processId)
    const [row] = await own`select pg_backend_pid() as pid`
    assert.equal(row?.['pid'], own.processId)
    await own.unsafe(last)
    own.release()
  }
  assert.equal(pids[0], pids[1])
  assert.notEqual(pids[1], pids[2])
})

test('a statement is prepared once per connection, and a connection with more than 500 prepared statements is replaced', async () => {
  await using sql = open()
  const count = async () =>
    (
      await sql`select count(*) filter (where statement like '%as again') as again, count(*) as all, pg_backend_pid() as pid
      from pg_prepared_statements`
    )[0]
  for (let time = 0; time < 3; time += 1) await sql`select ${time}::int as again`
  const first = await count()
  assert.deepEqual([first?.['again'], first?.['all']], [1, 2])
  for (let n = 0; n < 500; n += 1) await sql`select ${sql.unsafe(String(n))}`
  const later = await count()
  assert.ok(Number(later?.['all']) <= 500)
  assert.notEqual(later?.['pid'], first?.['pid'])
})

test('a prepared statement is prepared again if its table was changed or if it was deallocated', async () => {
  await using sql = open()
  await sql`create temp table t (n int)`
  const read = () => sql`select * from t`
  await sql`insert into t values (1)`
  assert.deepEqual([...(await read())], [{ n: 1 }])
  await sql`alter table t add column m int`
  assert.deepEqual([...(await read())], [{ n: 1, m: null }])
  await sql.unsafe('deallocate all')
  assert.deepEqual([...(await read())], [{ n: 1, m: null }])
  await sql`alter table t drop column m`
  await assert.rejects(
    sql.begin((tx) => tx`select * from t`),
    { code: '0A000' },
  )
  assert.deepEqual([...(await read())], [{ n: 1 }])
})

test('behind a connection pooler, no statements are prepared, and the session sends only settings that poolers accept', async () => {
  await using sql = open(1, `${database.url}&pgbouncer=true`)
  await sql`select ${1}::int`
  await sql`select 1`
  const [row] = await sql`
    select current_setting('TimeZone') as zone, current_setting('application_name') as name,
      current_setting('statement_timeout') as timeout, count(*) as prepared from pg_prepared_statements where name <> ''`
  assert.deepEqual(row, { zone: 'UTC', name: 'test', timeout: '0', prepared: 0 })
})

test('a session gets the settings of the program and of the database URL, including a timeout of 0', async () => {
  const admin = open()
  const name = new URL(database.url).pathname.slice(1)
  await admin.unsafe(`alter database ${name} set statement_timeout = '500ms'`)
  await admin.unsafe(`alter database ${name} set synchronous_commit = on`)
  await admin.end()
  const shown = async (options: { patient?: true; waitsForDisk?: boolean }, query = '') => {
    const sql = connect(`${database.url}${query}`, { connections: 1, applicationName: 'test', ...options })
    const [row] = await sql`
      select current_setting('statement_timeout') as timeout, current_setting('plan_cache_mode') as plans,
        current_setting('synchronous_commit') as disk, current_setting('lock_timeout') as lock`
    await sql.end()
    return row
  }
  const plans = 'force_generic_plan'
  assert.deepEqual(await shown({}), { timeout: '30s', plans, disk: 'on', lock: '0' })
  assert.deepEqual(await shown({ patient: true }), { timeout: '0', plans, disk: 'on', lock: '0' })
  assert.deepEqual(await shown({ waitsForDisk: false }, '&lock_timeout=7&statement_timeout=0'), {
    timeout: '0',
    plans,
    disk: 'off',
    lock: '7ms',
  })
})

test('callers wait for a connection while all connections of the pool are in use', async () => {
  await using sql = open(2)
  const rows = await Promise.all(
    Array.from({ length: 20 }, (_, n) => sql`select ${n}::int as n, pg_backend_pid() as pid`),
  )
  assert.deepEqual(
    rows.flat().map(({ n }) => n),
    Array.from({ length: 20 }, (_, n) => n),
  )
  assert.equal(new Set(rows.flat().map(({ pid }) => pid)).size, 2)
})

test('a connection that PostgreSQL ends fails its statement as unavailable, and the next statement gets a new connection', async () => {
  await using sql = open()
  const own = await sql.reserve()
  const asked = own`select pg_sleep(60)`.execute()
  const ended = assert.rejects(asked, { code: '57P01' })
  await until(
    async () =>
      (
        await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
          where pid = ${own.processId} and query like '%pg_sleep(60)%' and state = 'active'`
      ).count === 1,
  )
  await ended
  own.release()
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  assert.ok(row !== undefined && row.pid !== own.processId)
  await database.sql`select pg_terminate_backend(${row.pid})`
  await until(() =>
    sql`select 1`.then(
      () => true,
      () => false,
    ),
  )
})

test('ending a pool waits for running and queued statements', async () => {
  const sql = open()
  const responses = Promise.all([sql`select pg_sleep(0.05)`.execute(), sql`select 1 as one`.execute()])
  const ended = sql.end({ timeout: 5 })
  await assert.rejects(sql`select 1`, { code: 'CONNECTION_ENDED' })
  await assert.rejects(
    sql.begin(() => undefined),
    { code: 'CONNECTION_ENDED' },
  )
  await ended
  assert.deepEqual((await responses).flat().at(-1), { one: 1 })
  await sql.end()
})

test('ending a pool cancels statements that exceed the end timeout, and closes their connections', async () => {
  const sql = open()
  const sleeping = assert.rejects(sql`select pg_sleep(60)`, { code: 'CONNECTION_CLOSED' })
  const waiting = assert.rejects(sql`select 1`, { code: 'CONNECTION_ENDED' })
  const own = open(1)
  await until(async () => (await own`select from pg_stat_activity where query = 'select pg_sleep(60)'`).count === 1)
  await sql.end({ timeout: 0 })
  await Promise.all([sleeping, waiting])
  await own.end()
})

test('a minor garbage collection frees the rows of earlier statements', async () => {
  await using sql = open()
  setFlagsFromString('--expose-gc')
  const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc')
  const read = async (times: number) => {
    for (let time = 1; time <= times; time += 1) {
      await sql`select repeat('x', 100000) as text`
      if (time % 10 === 0) collect({ type: 'minor' })
    }
  }
  await read(20)
  collect()
  const before = process.memoryUsage().heapUsed
  await read(100)
  // The rows of all statements together have 10 MB.
  assert.ok(process.memoryUsage().heapUsed - before < 3_000_000)
})
