import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '../../test/support/line.ts'
import { until } from '../../test/support/process.ts'
import { startEmbedded } from '../app/postgres/embedded.ts'
import { awaitDatabase } from '../db/connection/await-database.ts'
import { connect } from '../db/connection/connect.ts'
import { migrate } from '../db/migrate.ts'
import { abort } from './abort.ts'
import { accept } from './accept.ts'
import { claim } from './claim.ts'
import { find } from './find.ts'
import { createFlush } from './flush.ts'
import { settle } from './settle.ts'

// A server of its own, whose commits are flushed: it is to crash.
const folder = await mkdtemp(join(tmpdir(), 'mediamill-flush-'))
const embedded = await startEmbedded(join(folder, 'data'), { log: () => undefined })
await migrate(embedded.url)
const sql = connect(embedded.url, { connections: 2, applicationName: 'test', waitsForDisk: false })
const ordinary = connect(embedded.url, { connections: 1, applicationName: 'test flush' })
const flush = createFlush(ordinary)
after(async () => {
  await Promise.all([sql.end({ timeout: 5 }), ordinary.end({ timeout: 5 })])
  await embedded[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const serverPid = async () =>
  Number((await readFile(join(folder, 'data/postgres/data/postmaster.pid'), 'utf8')).split('\n')[0])

/** The processes of the server, those that serve connections and those that write in the background. */
async function serverProcesses(): Promise<{ pid: number; name: string }[]> {
  const server = await serverPid()
  const found: { pid: number; name: string }[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    if (Number(entry) !== server && parent !== server) continue
    found.push({ pid: Number(entry), name: await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '') })
  }
  return found
}

/** Does something whose commits nobody flushes, and crashes the server before anybody could. */
async function andCrash<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = await serverPid()
  const processes = await serverProcesses()
  const writers = processes.filter(({ name }) => /walwriter|checkpointer|background writer|autovacuum/.test(name))
  for (const { pid } of writers) process.kill(pid, 'SIGSTOP')
  const result = await work()
  for (const { pid } of processes) process.kill(pid, 'SIGKILL')
  await until(async () => (await serverPid().catch(() => before)) !== before)
  await awaitDatabase(embedded.url)
  return result
}

const linuxOnly = { skip: process.platform !== 'linux' }

test(
  'a request that a crash of the database took with it is not said to be durable, one that is there is',
  linuxOnly,
  async () => {
    const account = await openAccount(sql)
    const kept = await accept(sql, acceptable(account.id))
    await flush(kept)
    const lost = await andCrash(() => accept(sql, acceptable(account.id)))
    await assert.rejects(flush(lost), /lost/)
    await flush(kept)
    await assert.rejects(find(sql, account.id, lost.id), { code: 'request_not_found' })
  },
)

test('an abort that a crash of the database took with it is not said to be durable', linuxOnly, async () => {
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id))
  await flush(request)
  const aborted = await andCrash(() => abort(sql, account.id, request.id))
  await assert.rejects(flush(aborted), /lost/)
  assert.equal((await find(sql, account.id, request.id)).status, 'queued')
})

test(
  'a claim that a crash of the database forgot settles nothing, and the request is taken again [rulings 7]',
  linuxOnly,
  async () => {
    await ordinary`update requests set completed_at = now(), status = 'aborted' where completed_at is null`
    const account = await openAccount(sql)
    const request = await accept(sql, acceptable(account.id))
    await flush(request)
    const [first, second] = [await aliveWorker(ordinary), await aliveWorker(ordinary)]
    // On a connection that waits for the disk: the claim does not, all the same.
    const lost = await andCrash(() => claim(ordinary, first, 'image', []))
    assert.equal(lost?.request.id, request.id)
    assert.equal((await find(sql, account.id, request.id)).status, 'queued')
    const again = await claim(ordinary, second, 'image', [])
    assert.deepEqual([again?.request.id, again?.held.attempt], [request.id, 1])
    assert.equal(await settle(ordinary, lost.held, succeeded(), RETENTION_MS), undefined)
    assert.ok(again && (await settle(ordinary, again.held, succeeded(), RETENTION_MS)))
  },
)

test('calls that come while one flush runs share the next, and each hears of its own request', async () => {
  const account = await openAccount(sql)
  const requests = await Promise.all(Array.from({ length: 5 }, () => accept(sql, acceptable(account.id))))
  const nobodys = { ...requests[0], id: 999_999 } as (typeof requests)[number]
  const outcomes = await Promise.allSettled([...requests, nobodys].map((request) => flush(request)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    [...requests.map(() => 'fulfilled'), 'rejected'],
  )
})
