/**
 * Measures the rates of one busy account on a slow disk:
 * `node lab/bench/busy-account.ts [--seconds 8] [--flush-ms 2] [--accounts 1,50] [--out FILE]`.
 * PostgreSQL delays each flush (`commit_delay` with `commit_siblings = 0`). Two processes accept requests. Then four
 * workers finish the requests, with an engine that does nothing.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { microUsd } from '@mediamill/contract/domain/money'
import { startEmbedded } from '@mediamill/server/app/postgres/embedded'
import { listDifferences, listMischarged } from '@mediamill/server/db/accounts/ledger'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { migrate } from '@mediamill/server/db/migrate'
import { accept } from '@mediamill/server/requests/accept'
import { createFlush } from '@mediamill/server/requests/flush'
import { settle } from '@mediamill/server/requests/settle'
import { startRequestLoop } from '@mediamill/server/worker/request-loop'
import { pino } from 'pino'
import { acceptable, openAccount, RETENTION_MS, succeeded } from '../support/request-rows.ts'

const INTERFACES = 2
const WORKERS = 4
const CALLS_AT_ONCE = 64
const SLOTS = 64
const GOAL = { accepts: 1_000, settles: 800 }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '8' },
    'flush-ms': { type: 'string', default: '2' },
    accounts: { type: 'string', default: '1,50' },
    out: { type: 'string' },
  },
})
const [role, url = '', list = ''] = positionals
if (role === 'interface') await acceptMany(url, list.split(',').map(Number))
else if (role === 'worker') await settleMany(url)
else await measure()

async function measure(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const database = stack.use(await startEmbedded(join(folder, 'data'), { log: () => undefined }))
  await migrate(database.url)
  const sql = stack.adopt(connect(database.url, { connections: 2, applicationName: 'bench' }), (pool) => pool.end())
  for (const [name, value] of [
    ['commit_delay', String(Number(values['flush-ms']) * 1_000)],
    ['commit_siblings', '0'],
  ]) {
    await sql.unsafe(`alter system set ${name} = ${value}`)
  }
  await sql`select pg_reload_conf()`
  const rows: object[] = []
  for (const count of values.accounts.split(',').map(Number)) rows.push(await measureWith(sql, database.url, count))
  if (values.out !== undefined) await writeFile(values.out, `${JSON.stringify(rows, null, 1)}\n`)
}

async function measureWith(sql: Sql, address: string, count: number): Promise<object> {
  const accounts: number[] = []
  for (let nth = 0; nth < count; nth += 1) accounts.push((await openAccount(sql, microUsd(1_000_000_000))).id)
  const accepts = await rateOf(sql, INTERFACES, ['interface', address, accounts.join()], 'id > 0')
  // Update the planner's statistics, as autovacuum does every 15 s in a service.
  await sql`vacuum analyze requests`
  const settles = await rateOf(sql, WORKERS, ['worker', address], 'completed_at is not null')
  await sql`update requests set worker_id = null, completed_at = now(), status = 'aborted' where completed_at is null`
  await sql`update accounts set held = 0, open_live = 0, open_test = 0`
  const wrong = [...(await listDifferences(sql)), ...(await listMischarged(sql))].length
  const row = { accounts: count, acceptsPerSecond: accepts, settlesPerSecond: settles, atLeast: GOAL, wrong }
  process.stdout.write(`${JSON.stringify(row)}\n`)
  return row
}

/** Runs `processes` copies of this program with `args`. Returns how many more requests meet `condition` per second. */
async function rateOf(sql: Sql, processes: number, args: string[], condition: string): Promise<number> {
  const children = Array.from({ length: processes }, () => fork(import.meta.filename, args))
  await Promise.all(children.map((child) => once(child, 'message')))
  const count = async () => Number((await sql.unsafe(`select count(*) from requests where ${condition}`))[0]?.['count'])
  await delay(1_000)
  const [before, beganAt] = [await count(), performance.now()]
  await delay(Number(values.seconds) * 1_000)
  const done = (await count()) - before
  const seconds = (performance.now() - beganAt) / 1_000
  const ended = children.map(async (child) => await once(child, 'exit'))
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(ended)
  return Math.round(done / seconds)
}

async function acceptMany(address: string, accounts: readonly number[]): Promise<void> {
  const sql = connect(address, { connections: 4, applicationName: 'bench api', waitsForDisk: false })
  const notices = connect(address, { connections: 1, applicationName: 'bench notify' })
  const durable = createFlush(notices)
  process.send?.('ready')
  const line = async (nth: number) => {
    for (let call = nth; ; call += CALLS_AT_ONCE) {
      const asked = acceptable(accounts[call % accounts.length] ?? 0)
      await durable(await accept(sql, { ...asked, limits: { ...asked.limits, concurrentRequests: 10_000_000 } }))
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, (_, nth) => line(nth)))
}

async function settleMany(address: string): Promise<void> {
  const sql = connect(address, { connections: 6, applicationName: 'bench worker' })
  await startRequestLoop({
    sql,
    notices: sql,
    lanes: [{ lane: 'image', slots: SLOTS, hasDiskSpace: () => true }],
    retentionMs: RETENTION_MS,
    work: async ({ lease }) => void (await settle(sql, lease, succeeded(), RETENTION_MS)),
    log: pino({ level: 'warn' }),
  })
  process.send?.('ready')
}
