import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { quarters } from '@mediamill/lab/support/images'
import { run, until } from '@mediamill/lab/support/process'
import { acceptable, openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import { accept } from '@mediamill/server/requests/accept'

const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
const photo = await quarters(40, 30)
const sources = stack.use(await startSourceServer({ '/photo.png': photo }))
const database = stack.use(await createDatabase())
const { sql } = database
const account = await openAccount(sql)
await sql`update accounts set balance = 1000000000 where id = ${account.id}`

async function startWorker(differing: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'mediamill-drain-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const settings = {
    DATABASE_URL: database.url,
    SECRET_KEY,
    DATA_DIR: dataDir,
    ISOLATION: 'process',
    ALLOWED_PRIVATE_HOSTS: sources.host,
    ...differing,
  }
  await sql`delete from workers`
  const role = stack.use(await startRole('worker', settings))
  const [worker] = await sql<{ id: string }[]>`select id from workers`
  const id = worker?.id ?? assert.fail('the worker is not in the table')
  const command = async (...args: string[]) => {
    const ran = run(args, settings)
    return { code: await ran.ended, out: ran.out(), err: ran.err() }
  }
  return { role, id, command }
}

async function passHeartbeats(seconds: number) {
  const [row] = await sql<{ until: Date }[]>`select now() + ${seconds} * interval '1 second' as until`
  assert.ok(row !== undefined)
  await until(async () => {
    const [worker] = await sql<{ isLater: boolean }[]>`select seen_at > ${row.until} as "isLater" from workers`
    return worker?.isLater === true
  })
}

async function acceptSlow(name: string) {
  const asked = Promise.withResolvers<ServerResponse>()
  sources.files.set(name, (_call: unknown, response: ServerResponse) => asked.resolve(response))
  const { id } = await accept(sql, acceptable(account.id, { source: sources.url(name) }))
  const response = await asked.promise
  const finish = () => void response.writeHead(200, { 'content-type': 'image/png' }).end(photo)
  const status = async () => (await sql<{ status: string }[]>`select status from requests where id = ${id}`)[0]?.status
  return { id, finish, status }
}

test('after the command worker drain, a worker claims no requests, finishes its job without a time limit, and exits with 0 [operator.stop.3]', {
  timeout: 180_000,
}, async () => {
  const { role, id, command } = await startWorker({ DRAIN_TIMEOUT: '1s' })
  const running = await acceptSlow('/slow.png')
  await sql`update workers set role = null`
  const rejected = await command('worker', 'drain', id)
  assert.deepEqual([rejected.code, rejected.out], [1, ''])
  assert.match(rejected.err, /has an earlier version, which cannot be drained/)
  await sql`update workers set role = 'jobs'`
  const drained = await command('worker', 'drain', id)
  assert.deepEqual([drained.code, drained.err], [0, ''])
  assert.match(drained.out, new RegExp(`^The worker ${id} claims nothing more`))
  const fleet = JSON.parse((await command('doctor', '--fleet', '--json')).out)
  assert.equal(fleet.workers[0].state, 'draining')

  // The worker checks every 1.5 s whether to stop. DRAIN_TIMEOUT does not apply, so the job continues.
  await passHeartbeats(4)
  const later = await accept(sql, acceptable(account.id, { source: sources.url('/photo.png') }))
  await passHeartbeats(3)
  assert.equal(await running.status(), 'processing')
  const exit = once(role.child, 'exit')
  running.finish()
  assert.equal((await exit)[0], 0)
  assert.equal(await running.status(), 'succeeded')
  const [queued] = await sql<{ status: string; attempt: number }[]>`
    select status, attempt from requests where id = ${later.id}`
  assert.deepEqual({ ...queued }, { status: 'queued', attempt: 0 })
  assert.equal((await sql`select from workers`).length, 0)
})

test('SIGTERM ends a draining worker within DRAIN_TIMEOUT, and its unfinished request returns to the queue', {
  timeout: 180_000,
}, async () => {
  await sql`delete from jobs`
  const { role, id, command } = await startWorker({ DRAIN_TIMEOUT: '1s' })
  const running = await acceptSlow('/endless.png')
  assert.equal((await command('worker', 'drain', id)).code, 0)
  assert.equal(await role.stop(), 0)
  const [job] = await sql<{ holder: string | null; attempt: number }[]>`
    select worker_id as holder, attempt from jobs where record_id = ${running.id}`
  assert.deepEqual({ ...job }, { holder: null, attempt: 0 }, 'the attempt does not count')
  const unknown = await command('worker', 'drain', id)
  assert.deepEqual([unknown.code, unknown.out], [1, ''])
  assert.match(unknown.err, new RegExp(`^mediamill: There is no live worker ${id}`))
  assert.equal((await command('worker', 'drain', 'abc')).code, 2)
  const { out } = await command('worker', 'drain', '--help')
  assert.doesNotMatch(out, /stop the unit first/, 'stopping sends SIGTERM, which ends the jobs')
  assert.match(out, /Restart=on-failure/)
})
