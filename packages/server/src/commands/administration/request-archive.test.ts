import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startPgBouncer } from '@mediamill/lab/support/pgbouncer'
import { run, until } from '@mediamill/lab/support/process'
import { acceptable, openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startService } from '@mediamill/lab/support/service'
import { whyNo } from '@mediamill/lab/support/skip-reason'
import { abort } from '../../requests/abort.ts'
import { accept } from '../../requests/accept.ts'

const service = await startService({ workers: false })
const { sql, call } = service
const folder = await mkdtemp(join(tmpdir(), 'mediamill-archive-'))
after(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const settings = { DATABASE_URL: service.databaseUrl, SECRET_KEY, DATA_DIR: service.dataDir }

const archiveTo = (name: string, { before = '2026-01-01', databaseUrl = service.databaseUrl } = {}) =>
  run(['request', 'archive', '--before', before, '--to', join(folder, name), '--json'], {
    ...settings,
    DATABASE_URL: databaseUrl,
  })

async function archived(name: string, options = {}) {
  const ran = archiveTo(name, options)
  assert.equal(await ran.ended, 0, ran.err())
  return JSON.parse(ran.out()) as { archived: number; kept: number; file: string | null; bytes: number }
}

async function manyOld(accountId: number, count: number): Promise<number[]> {
  const first = await abort(sql, accountId as never, (await accept(sql, acceptable(accountId))).id)
  await sql`update requests set created_at = '2025-03-01', completed_at = '2025-03-01' where id = ${first.id}`
  await sql`
    with made as (
      insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, created_at, completed_at)
      select account_id, livemode, endpoint, lane, status, source, input, turn, created_at, completed_at
      from requests, generate_series(2, ${count}) n where id = ${first.id}
      returning id, account_id
    )
    insert into events (id, account_id, request_id, type, status)
    select 'evt_' || id, account_id, id, 'request.aborted', 'unaddressed' from made order by id`
  return (await sql<{ id: number }[]>`select id from requests where account_id = ${accountId} order by id`).map(
    ({ id }) => id,
  )
}

const idsIn = (text: string): number[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).request.id)

const idsLeft = async (accountId: number) =>
  (await sql<{ id: number }[]>`select id from requests where account_id = ${accountId} order by id`).map(({ id }) => id)

test('an archive command that is killed between writing and deleting loses no request, and the next command archives the remaining requests [operator.commands.14]', async () => {
  const { id } = await openAccount(sql)
  const ids = await manyOld(id, 3_000)
  const blocked = ids[1_500] ?? assert.fail()
  const first = archiveTo('first.jsonl')
  await sql.begin(async (tx) => {
    await tx`select from events where request_id = ${blocked} for update`
    await until(async () => {
      const waits = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waits.length > 0
    })
    const second = archiveTo('second.jsonl')
    assert.equal(await second.ended, 1)
    assert.equal(second.err(), 'mediamill: Another archive is running. Wait until it ends.\n')
    assert.ok(!existsSync(join(folder, 'second.jsonl')))
    first.child.kill('SIGKILL')
    assert.equal(await first.ended, 'SIGKILL')
  })
  await until(async () => (await sql`select from pg_locks where locktype = 'advisory'`).length === 0)
  const written = idsIn(await readFile(join(folder, 'first.jsonl'), 'utf8'))
  assert.deepEqual([written, await idsLeft(id)], [ids.slice(0, 1_600), ids.slice(1_500)])
  assert.deepEqual(await archived('rest.jsonl.gz'), {
    archived: 1_499,
    kept: 1,
    bytes: (await readFile(join(folder, 'rest.jsonl.gz'))).length,
    file: join(folder, 'rest.jsonl.gz'),
  })
  const rest = idsIn(gunzipSync(await readFile(join(folder, 'rest.jsonl.gz'))).toString())
  assert.deepEqual([rest, await idsLeft(id)], [ids.slice(1_500, 2_999), ids.slice(2_999)])
})

test('an archived request returns 404, and a client that has the newest event as its cursor can continue to list events [operator.commands.14]', async () => {
  const { id, liveKey: key } = await openAccount(sql)
  const ids = await manyOld(id, 3)
  const events = async (after: string) => await call('GET', `/v1/events?after=${after}`, { key })
  const newest = (await call('GET', '/v1/events', { key })).body.data.at(-1).id
  assert.equal((await archived('seen.jsonl')).archived, 2)
  assert.equal((await call('GET', `/v1/requests/${ids[0]}`, { key })).status, 404)
  assert.deepEqual(
    (await call('GET', '/v1/requests', { key })).body.data.map((request: { id: number }) => request.id),
    ids.slice(2),
  )
  assert.deepEqual((await events(newest)).body.data, [])
  assert.equal((await events(`evt_${ids[1]}`)).status, 422)
  const next = await abort(sql, id, (await accept(sql, acceptable(id))).id)
  const page = (await events(newest)).body.data
  assert.deepEqual(
    page.map((event: { data: { id: number } }) => event.data.id),
    [next.id],
  )
})

test('the archive command works through PgBouncer [operator.commands.14]', { skip: whyNo('pgbouncer') }, async () => {
  await using pooler = await startPgBouncer(service.databaseUrl)
  const { id } = await openAccount(sql)
  const ids = await manyOld(id, 1_500)
  await archived('pooled.jsonl', { databaseUrl: pooler.url })
  const written = new Set(idsIn(await readFile(join(folder, 'pooled.jsonl'), 'utf8')))
  assert.ok(ids.slice(0, 1_499).every((one) => written.has(one)))
  assert.deepEqual(await idsLeft(id), ids.slice(1_499))
})

test('the archive command writes to the audit log after the first lines of the archive are on disk, and before it deletes a request', async () => {
  const { id } = await openAccount(sql)
  const ids = await manyOld(id, 2)
  await sql`alter table audit add constraint no_archives check (action <> 'requests.archived') not valid`
  const ran = archiveTo('unrecorded.jsonl')
  assert.equal(await ran.ended, 1)
  await sql`alter table audit drop constraint no_archives`
  assert.deepEqual(await idsLeft(id), ids)
  assert.ok(idsIn(await readFile(join(folder, 'unrecorded.jsonl'), 'utf8')).includes(ids[0] ?? 0))
  await archived('recorded.jsonl')
})

test('the archive command writes to the audit log, rejects an existing file or an invalid or recent date, and creates no file if it archives nothing', async () => {
  const none = await archived('none.jsonl')
  assert.deepEqual([none.archived, none.file, existsSync(join(folder, 'none.jsonl'))], [0, null, false])
  const { id } = await openAccount(sql)
  await manyOld(id, 2)
  assert.equal((await archived('once.jsonl')).archived, 1)
  const again = archiveTo('once.jsonl')
  assert.deepEqual([await again.ended, /exists already: name a new file/.test(again.err())], [1, true])
  assert.equal(idsIn(await readFile(join(folder, 'once.jsonl'), 'utf8')).length, 1)
  const rows = await sql<{ actor: string; detail: { file: string; before: string } }[]>`
    select actor, detail from audit where action = 'requests.archived' order by id desc limit 1`
  assert.deepEqual(
    rows.map(({ actor, detail }) => [actor, detail.file, detail.before]),
    [['command', join(folder, 'once.jsonl'), '2026-01-01T00:00:00.000Z']],
  )
  const today = new Date().toISOString().slice(0, 10)
  for (const before of [today, '2026-13-01', '2025-02-30', 'yesterday']) {
    assert.equal(await archiveTo('never.jsonl', { before }).ended, 2, before)
  }
  assert.ok(!existsSync(join(folder, 'never.jsonl')))
})

test('archive rejects a day that does not exist, a time, and a day of the last two days [operator.commands.14]', async () => {
  const today = new Date().toISOString().slice(0, 10)
  for (const [before, reason] of [
    ['2026-02-30', 'must be a day such as'],
    ['2026-13-01', 'must be a day such as'],
    ['2026-01-01T00:00Z', 'must be a day such as'],
    [today, 'must be at least two days ago'],
  ] as const) {
    const ran = archiveTo('never.jsonl', { before })
    assert.equal(await ran.ended, 2, before)
    assert.match(ran.err(), new RegExp(reason))
  }
  assert.ok(!existsSync(join(folder, 'never.jsonl')))
})
