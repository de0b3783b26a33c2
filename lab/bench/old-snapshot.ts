/**
 * Measures the pages that accepting and claiming read while an old snapshot keeps the rows of all jobs that have ended.
 *
 *     node_modules/.bin/node lab/bench/old-snapshot.ts --jobs 100000 --accounts 200
 */
import { parseArgs } from 'node:util'
import type { AcceptedRow } from '@mediamill/server/db/accept-request'
import { insertRequests } from '@mediamill/server/db/accept-request'
import type { Runner } from '@mediamill/server/db/connection/connect'
import { createDatabase } from '../support/database.ts'
import { aliveWorker, openAccount } from '../support/line.ts'
import { countPagesRead } from '../support/pages-read.ts'
import { claimNextImage, liveRequest, passFloors, runOnIdleFleet } from '../support/queue.ts'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '100000' },
    accounts: { type: 'string', default: '200' },
    fleets: { type: 'string', default: '4' },
  },
})
const [jobs, accountCount, fleets] = [Number(values.jobs), Number(values.accounts), Number(values.fleets)]
const ROUNDS = 10

await using database = await createDatabase()
const { sql } = database
const requests: AcceptedRow[] = []
for (let count = 0; count < accountCount; count += 1) requests.push(liveRequest((await openAccount(sql)).id))
const worker = await aliveWorker(sql)

async function average(work: (runner: Runner) => Promise<unknown>): Promise<number> {
  let pages = 0
  for (let round = 0; round < ROUNDS; round += 1) pages += await countPagesRead(sql, work)
  return pages / ROUNDS
}

async function report(when: string): Promise<void> {
  const accept = await average((runner) => insertRequests(runner, requests.slice(0, 1)))
  await insertRequests(sql, requests.slice(0, 50))
  const claim = await average((runner) => claimNextImage(runner, worker))
  const startedAt = performance.now()
  await claimNextImage(sql, worker)
  const ms = (performance.now() - startedAt).toFixed(1)
  process.stdout.write(`${when}: accept ${accept} pages, claim ${claim} pages, ${ms} ms\n`)
}

await runOnIdleFleet(sql, worker, requests, 500)
await sql`vacuum analyze`
await report('no snapshot')
await sql.begin(async (snapshot) => {
  await snapshot`set transaction isolation level repeatable read`
  await snapshot`select count(*) from jobs`
  await Promise.all(
    Array.from({ length: fleets }, async () => {
      const own = await aliveWorker(sql)
      const done = runOnIdleFleet(sql, own, requests, jobs / fleets)
      const timer = setInterval(() => void passFloors(sql), 3_000)
      await done.finally(() => clearInterval(timer))
    }),
  )
  await passFloors(sql)
  await report(`${jobs} jobs ended under a snapshot`)
})
await sql`vacuum analyze`
await report('after a vacuum')
