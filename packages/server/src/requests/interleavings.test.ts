import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { sharedDatabase } from '@mediamill/lab/support/database'
import type { Random } from '@mediamill/lab/support/random'
import { createRandom } from '@mediamill/lab/support/random'
import {
  acceptable,
  aliveWorker,
  failed,
  openAccount,
  RETENTION_MS,
  succeeded,
} from '@mediamill/lab/support/request-rows'
import { listDifferences, listMischarged } from '../db/accounts/ledger.ts'
import { sumUsage } from '../db/accounts/usage.ts'
import type { Sql } from '../db/connection/connect.ts'
import { abort } from './abort.ts'
import { accept } from './accept.ts'
import type { Claim } from './claim.ts'
import { claim, requeueAll, takeOver } from './claim.ts'
import { settle } from './settle.ts'

const { sql } = await sharedDatabase()

/** The seed of the run. To repeat a run, set the seed from its test title here. */
const SEED = Date.now() % 2 ** 31
const ROUNDS = 25
const STEPS = 16

/** The state of a run. `claims` includes claims that workers have lost. A step may abort any request in `started`. */
type World = {
  sql: Sql
  random: Random
  accounts: AccountId[]
  workers: string[]
  claims: Claim[]
  started: { id: RequestId; accountId: AccountId }[]
}

const STEP: Record<string, (world: World) => Promise<unknown>> = {
  async accept({ sql, random, accounts, started }) {
    const accountId = random.pick(accounts as [AccountId, ...AccountId[]])
    const limits = { requestsPerMinute: 1, concurrentRequests: 6, maxSourceBytes: 1 }
    const livemode = random.chance(0.7)
    const endpoint = endpointNamed(random.pick(['images/process', 'images/read']))
    const customer = random.pick(['a', 'b', null])
    const request = await accept(sql, acceptable(accountId, { livemode, limits, endpoint, customer }))
    started.push({ id: request.id, accountId })
  },
  async abort({ sql, random, started }) {
    const found = started[random.below(started.length)]
    if (found !== undefined) await abort(sql, found.accountId, found.id)
  },
  async claim({ sql, random, workers, claims }) {
    const worker = random.pick(workers as [string, ...string[]])
    const taken = await claim(sql, worker, 'image', [])
    if (taken !== undefined) claims.push(taken)
  },
  async succeed(world) {
    await end(world, succeeded(world.random.pick([2_000, 500, 30_000])))
  },
  async fail(world) {
    await end(world, failed())
  },
  async crash(world) {
    const silent = world.random.pick(world.workers as [string, ...string[]])
    await world.sql`update workers set seen_at = now() - interval '1 minute' where id = ${silent}`
    world.workers[world.workers.indexOf(silent)] = await aliveWorker(world.sql)
  },
  async takeOver({ sql }) {
    await takeOver(sql, RETENTION_MS)
  },
  async stop(world) {
    await requeueAll(world.sql, world.random.pick(world.workers as [string, ...string[]]))
  },
}

/** Ends a random claim. The worker may have lost the claim or already completed it. */
async function end({ sql, random, claims }: World, outcome: Parameters<typeof settle>[2]): Promise<void> {
  const taken = claims[random.below(claims.length)]
  if (taken !== undefined) await settle(sql, taken.lease, outcome, RETENTION_MS)
}

async function checkBooks({ sql, accounts }: World): Promise<void> {
  assert.deepEqual(
    await listDifferences(sql),
    [],
    'balance = sum of the ledger, holds and open = those of open requests',
  )
  assert.deepEqual(await listMischarged(sql), [], 'charges = prices of succeeded live requests')
  const [wrong] = await sql`
    select count(*)::integer as count from requests
    where (price > 0 and (status <> 'succeeded' or not livemode))
      or (status = 'succeeded' and livemode and price = 0)
      or (completed_at is not null) <> (status in ('succeeded', 'failed', 'aborted'))`
  assert.equal(wrong?.['count'], 0, 'only succeeded live requests have a price')
  const [events] = await sql`
    select count(*)::integer as count from requests r full join events e on e.request_id = r.id
    where (r.completed_at is not null) <> (e.id is not null)`
  assert.equal(events?.['count'], 0, 'each finished request has one event')
  for (const accountId of accounts) await checkUsage(sql, accountId)
}

async function checkUsage(sql: Sql, accountId: AccountId): Promise<void> {
  const day = new Date().toISOString().slice(0, 10)
  const query = { accountId, livemode: true, from: '2000-01-01', to: day, customer: null }
  const rows = await sql`
    select status as key, count(*)::integer as requests, sum(price)::bigint as spent from requests
    where account_id = ${accountId} and livemode group by 1 order by 1`
  const usage = await sumUsage(sql, { ...query, groupBy: 'status' })
  assert.deepEqual(
    usage.map(({ key, requests, spent }) => ({ key, requests, spent })),
    [...rows],
    'usage = requests',
  )
}

test(`the ledger is consistent after random concurrent accepts, aborts, completions, crashes, and takeovers [requests.states.3] (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const accounts = await Promise.all([0, 1, 2].map(async () => (await openAccount(sql)).id))
  await sql`insert into ledger (account_id, kind, amount) select id, 'adjustment', -980000 from accounts`
  await sql`update accounts set balance = balance - 980000`
  const workers = await Promise.all([aliveWorker(sql), aliveWorker(sql), aliveWorker(sql)])
  const world: World = { sql, random, accounts, workers, claims: [], started: [] }
  const names = [
    'accept',
    'accept',
    'accept',
    'accept',
    'claim',
    'claim',
    'claim',
    'succeed',
    'succeed',
    'fail',
  ] as const
  const rare = ['abort', 'abort', 'crash', 'takeOver', 'stop'] as const
  const done: Record<string, number> = {}
  for (let round = 0; round < ROUNDS; round += 1) {
    const steps = Array.from({ length: STEPS }, () => (random.chance(0.75) ? random.pick(names) : random.pick(rare)))
    const results = await Promise.allSettled(steps.map(async (name) => await STEP[name]?.(world)))
    results.forEach((result, index) => {
      const name = steps[index] ?? ''
      if (result.status === 'fulfilled') done[name] = (done[name] ?? 0) + 1
      else assert.ok('code' in result.reason && 'status' in result.reason, String(result.reason))
    })
    await checkBooks(world)
  }
  for (const name of ['accept', 'abort', 'claim', 'succeed', 'crash', 'takeOver']) {
    assert.ok((done[name] ?? 0) > 0, `${name} never happened: ${JSON.stringify(done)}`)
  }
})
