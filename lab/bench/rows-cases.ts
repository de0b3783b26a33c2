import { randomUUID } from 'node:crypto'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { microUsd } from '@mediamill/contract/domain/money'
import { authenticate } from '@mediamill/server/accounts/authenticate'
import { listDifferences, listMischarged } from '@mediamill/server/db/accounts/ledger'
import { sumUsage } from '@mediamill/server/db/accounts/usage'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { listUndelivered } from '@mediamill/server/db/events/event-log'
import { claimEvents, recordAttempts } from '@mediamill/server/db/events/events'
import { compareBalances, countEvents, countLanes } from '@mediamill/server/db/metrics'
import { listOrphans, markFilesDeleted, takeExpiredResults } from '@mediamill/server/db/sweep'
import { abort } from '@mediamill/server/requests/abort'
import { accept } from '@mediamill/server/requests/accept'
import { claim, isWorkWaiting, renew, takeOver } from '@mediamill/server/requests/claim'
import { expire } from '@mediamill/server/requests/cleanup/expire'
import { prune } from '@mediamill/server/requests/cleanup/prune'
import { listEvents as listEventsPage } from '@mediamill/server/requests/events/list-events'
import { find, listRequestPage } from '@mediamill/server/requests/find'
import { fingerprintOf } from '@mediamill/server/requests/fingerprint'
import { hold } from '@mediamill/server/requests/idempotency'
import type { Lease } from '@mediamill/server/requests/settle'
import { settle } from '@mediamill/server/requests/settle'
import { acceptable, RETENTION_MS } from '../support/request-rows.ts'
import type { Cost } from './rows-cost.ts'
import { openGauge } from './rows-cost.ts'
import type { Filled } from './rows-lists.ts'

const ROUNDS = 400

/** The measured statements. `calls` are the statements of one request. `checks` read many rows. Default: both. */
type Part = 'calls' | 'checks' | undefined

export async function measureAll({ databaseUrl, other, accounts }: Filled, part: Part): Promise<Map<string, Cost>> {
  // Commits do not wait for the disk, because the benchmark compares the work of the database.
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'bench cases', waitsForDisk: false })
  const gauge = await openGauge(sql, other)
  const costs = new Map<string, Cost>()
  const measure: Measure = async (name, rounds, work) => {
    costs.set(name, await gauge(rounds, work))
  }
  if (part !== 'checks') await measureCalls(sql, accounts, measure)
  if (part !== 'calls') await measureChecks(sql, accounts, measure)
  await sql.end({ timeout: 5 })
  return costs
}

type Measure = (name: string, rounds: number, work: (round: number) => Promise<unknown>) => Promise<void>

const accountOf = (accounts: Filled['accounts'], round: number) => accounts[round % accounts.length] ?? unreachable()

async function measureCalls(sql: Sql, accounts: Filled['accounts'], measure: Measure): Promise<void> {
  const worker = randomUUID()
  const account = (round: number) => accountOf(accounts, round)
  const busy = account(0)
  const ids: RequestId[] = []
  const leases: Lease[] = []

  await measure('authenticate', ROUNDS, (round) => authenticate(sql, account(round).liveKey))
  await measure('lock an Idempotency-Key', ROUNDS, async (round) => {
    const key = { accountId: account(round).id, livemode: true, key: `${worker} ${round}` }
    const asked = { method: 'POST', path: '/v1/images/process', body: { round } }
    return hold(sql, key, await fingerprintOf(asked, () => Promise.resolve(new Map())))
  })
  await measure('accept', ROUNDS, async (round) => {
    const webhookUrl = round % 2 === 0 ? 'https://shop.example.com/hooks/mediamill' : null
    const call = acceptable(account(round).id, { customer: `customer ${round % 50}`, webhookUrl })
    ids.push((await accept(sql, { ...call, limits: { ...call.limits, concurrentRequests: 1_000_000 } })).id)
  })
  await measure('poll for work', ROUNDS, () => isWorkWaiting(sql, ['image', 'video', 'document']))
  await renew(sql, { id: worker, host: 'bench' }, [])
  await measure('claim', ROUNDS - 50, async () => {
    const claimed = await claim(sql, worker, 'image', [])
    if (claimed !== undefined) leases.push(claimed.lease)
  })
  await measure('heartbeat, 60 leases', ROUNDS, () => renew(sql, { id: worker, host: 'bench' }, ids.slice(0, 60)))
  await measure('take over', 100, () => takeOver(sql, RETENTION_MS))
  await measure('settle', ROUNDS - 60, (round) => {
    const file = { key: `${String(round).padStart(40, '0')}.webp`, format: 'webp', size: 10, sha256: 'ab' } as const
    const data = { width: 1200, height: 800, format: 'WEBP', size: 10 }
    const end = { status: 'succeeded', price: microUsd(2_000), data, files: [file], sourceBytes: 2_400_000 } as const
    return settle(sql, leases[round] ?? unreachable(), { ...end, files: [file] }, RETENTION_MS)
  })
  await measure('abort', 30, (round) => {
    const id = ids.at(-1 - round) ?? unreachable()
    return abort(sql, account(ids.length - 1 - round).id, id)
  })
  const taken: { eventId: string; lease: number }[] = []
  await measure('claim 20 events', 5, async () => {
    taken.push(...(await claimEvents(sql, { limit: 20, share: 20, inFlight: new Map(), leaseMs: 60_000 })))
  })
  await measure('record an attempt', 50, (round) => {
    const { eventId, lease } = taken[round] ?? unreachable()
    const response = { status: 200, beginning: Buffer.from('ok') }
    const next = { status: 'delivered' } as const
    const [url, startedAt] = ['https://shop.example.com/hooks/mediamill', new Date()]
    return recordAttempts(sql, [{ eventId, lease, url, startedAt, durationMs: 100, response, next }])
  })
  const own = await sql<{ id: RequestId }[]>`
    select id from requests where account_id = ${busy.id} order by id offset ${await halfOf(sql, busy.id)} limit 1000`
  await measure('find', ROUNDS, (round) => find(sql, busy.id, own[round * 2]?.id ?? unreachable()))
  await measure('first page of 100', ROUNDS, () => listRequestPage(sql, busy.id, { before: null, limit: 100 }))
  await measure('page in the middle', ROUNDS, (round) =>
    listRequestPage(sql, busy.id, { before: own[round]?.id ?? 0, limit: 100 }),
  )
  await sameUsage(sql, busy.id)
  const days = { from: day(91), to: day(0), livemode: true, accountId: busy.id }
  await measure('usage of 92 days', 50, () => sumUsage(sql, { ...days, groupBy: 'day', customer: null }))
  await measure('usage by customer', 10, () => sumUsage(sql, { ...days, groupBy: 'customer', customer: null }))
  await measure('lanes for /metrics', 100, () => countLanes(sql))
  await measure('events for /metrics', 100, () => countEvents(sql))
  await measure('page of events, oldest first', 100, () =>
    listEventsPage(sql, busy.id, { after: undefined, limit: 20, requestId: undefined }),
  )
  await measure('undelivered events', 100, () => listUndelivered(sql, { accountId: busy.id, limit: 5 }))
  await measure('expire, nothing due', 100, () => expire(sql, () => Promise.resolve()))
  await measure('prune, nothing due', 100, () => prune(sql))
  await sql`
    update requests set sweep_at = now() where id in (
      select id from requests where sweep_at is not null order by sweep_at limit 1500)`
  await measure('expire 100 results', 5, async () => {
    const expired = await takeExpiredResults(sql, 100, 600_000)
    await markFilesDeleted(
      sql,
      expired.map(({ id }) => id),
    )
  })
}

async function measureChecks(sql: Sql, accounts: Filled['accounts'], measure: Measure): Promise<void> {
  const worker = randomUUID()
  const account = (round: number) => accountOf(accounts, round)
  await renew(sql, { id: worker, host: 'bench' }, [])
  const files = await sql<{ key: string; requestId: number }[]>`
    select files -> 0 ->> 'key' as key, id as "requestId" from requests
    where sweep_at is not null order by md5(id::text) limit 1000`
  await measure('orphans among 1000 files', 10, () => listOrphans(sql, files))
  await measure('100 balances', 3, () => compareBalances(sql, 0, 100))
  await sql`set statement_timeout = 0`
  await leaveDead(sql, account(0).id)
  await measure('poll for work, before vacuum', 100, () => isWorkWaiting(sql, ['image', 'video', 'document']))
  for (let round = 0; round < 70; round += 1) await accept(sql, acceptable(account(round).id))
  await measure('claim, before vacuum', 50, () => claim(sql, worker, 'image', []))
  await measure('verify: differences', 1, () => listDifferences(sql))
  await measure('verify: charges', 1, () => listMischarged(sql))
}

async function halfOf(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<{ half: number }[]>`
    select count(*) / 2 as half from requests where account_id = ${accountId}`
  return row?.half ?? 0
}

/** Fills up the daily sums of an account, so that usage calls read equally many sums in both databases. */
async function sameUsage(sql: Sql, accountId: number): Promise<void> {
  await sql`
    insert into usage_days
    select ${accountId}, true, scope, (now() at time zone 'utc')::date - back, endpoint, 1, 0, 0, 2000, 100, 0, 10
    from generate_series(0, 91) back,
      unnest(array['images/process', 'images/read', 'documents/read', 'documents/snapshot']) endpoint,
      (select '*' union all select '-' union all select '=customer ' || n from generate_series(0, 49) n) scopes (scope)
    on conflict do nothing`
  await sql`vacuum analyze usage_days`
}

/** Leaves as many dead rows as possible without autovacuum, by updating each request twice. */
async function leaveDead(sql: Sql, accountId: number): Promise<void> {
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
    select (0.45 * (max(option_value::float) filter (where option_name = 'autovacuum_vacuum_threshold')
      + max(option_value::float * reltuples) filter (where option_name = 'autovacuum_vacuum_scale_factor')))::integer as count
    from pg_class, pg_options_to_table(reloptions) where oid = 'requests'::regclass`
  const ids = await sql<{ id: number }[]>`
    insert into requests (account_id, livemode, endpoint, lane, source, input, turn)
    select ${accountId}, true, 'images/read', 'image', 'https://pictures.example.com/a.jpg', '{}', now() - interval '1 hour'
    from generate_series(1, ${count}::integer)
    returning id`
  const [first = 0, last = 0] = [ids[0]?.id, ids.at(-1)?.id]
  await sql`
    update requests set status = 'processing', worker_id = gen_random_uuid(), started_at = now()
    where id between ${first} and ${last}`
  await sql`
    update requests set status = 'aborted', worker_id = null, completed_at = now()
    where id between ${first} and ${last}`
}

const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)

function unreachable(): never {
  throw new Error('no row found')
}
