import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestStatus } from '@mediamill/contract/domain/request'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { countRowsRead } from '@mediamill/lab/support/rows-read'
import { pairsOf } from '../../requests/metadata-pairs.ts'
import { literal } from './conditions.ts'
import type { FilterRow } from './filter.ts'
import { listFiltered } from './filter-requests.ts'

const { sql } = await sharedDatabase()
const [account, other] = [await openAccount(sql), await openAccount(sql)]

const ROWS = 6_000
const STATUSES = ['succeeded', 'failed', 'aborted', 'queued', 'processing'] as const
const ENDPOINTS = ['images/process', 'images/read', 'documents/read'] as const
const FIRST = Date.UTC(2026, 10, 1)
const at = (n: number) => new Date(FIRST + n * 60_000)
const color = (name: string) => pairsOf({ color: name })[0] ?? 0

type Made = {
  n: number
  status: RequestStatus
  endpoint: string
  customer: string | null
  livemode: boolean
  pairs: number[]
}

/** The newest 20 requests are open. No test request is aborted, and `ada` has no `images/read` request. */
const made: Made[] = Array.from({ length: ROWS }, (_, n) => {
  const status = n >= ROWS - 20 ? (STATUSES[3 + (n % 2)] ?? 'queued') : (STATUSES[n % 3] ?? 'failed')
  const endpoint = ENDPOINTS[(n >> 2) % 3] ?? ENDPOINTS[0]
  const livemode = status === 'aborted' || n % 5 > 0
  const customer = n % 4 === 0 ? null : n % 4 === 1 && endpoint !== 'images/read' ? 'ada' : 'bob'
  const pairs = [...(n % 2 === 0 ? [color('red')] : []), ...(n % 11 === 0 ? [color('blue')] : [])]
  return { n, status, endpoint, customer, livemode, pairs }
})

const ids: number[] = []
// A page without the account check would start with the newer requests of the other account.
for (const { id } of [account, other]) {
  const column = (name: keyof Made) => made.map((one) => (one[name] === null ? '' : String(one[name])))
  const rows = await sql<{ id: number }[]>`
    insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, created_at, completed_at,
      customer, metadata)
    select ${id}, livemode::boolean, endpoint, 'image', status, 'https://example.com/a.jpg', '{}', now(),
      ${at(0)}::timestamptz + (n - 1) * interval '1 minute',
      case when status not in ('queued', 'processing') then now() end, nullif(customer, ''), '{}'
    from unnest(${column('livemode')}::text[], ${column('endpoint')}::text[], ${column('status')}::text[],
      ${column('customer')}::text[]) with ordinality as made (livemode, endpoint, status, customer, n)
    order by n returning id`
  const own = rows.map((row) => row.id)
  if (id === account.id) ids.push(...own)
  const tags = made.flatMap(({ n, pairs }) => pairs.map((pair) => [own[n] ?? 0, pair] as const))
  await sql`
    insert into request_metadata (account_id, pair, request_id)
    select ${id}, pair, request_id
    from unnest(${tags.map(([request]) => request)}::bigint[], ${tags.map(([, pair]) => pair)}::bigint[]) as tags (request_id, pair)`
}
// Waits until PostgreSQL can use index-only scans, which an open snapshot prevents. It would otherwise read more rows.
await until(async () => {
  await sql`vacuum analyze`
  const [row] = await sql<{ all_seen: boolean }[]>`
    select bool_and(relallvisible = relpages) as all_seen from pg_class
    where oid in ('requests'::regclass, 'request_metadata'::regclass)`
  return row?.all_seen === true
})

const passes = (one: Made, filter: FilterRow) =>
  (filter.status ?? one.status) === one.status &&
  (filter.endpoint ?? one.endpoint) === one.endpoint &&
  (filter.customer ?? one.customer) === one.customer &&
  (filter.livemode ?? one.livemode) === one.livemode &&
  (filter.createdFrom === undefined || at(one.n) >= filter.createdFrom) &&
  (filter.createdBefore === undefined || at(one.n) < filter.createdBefore) &&
  (filter.pairs ?? []).every((pair) => one.pairs.includes(pair))

function* combinations(): Generator<FilterRow> {
  const times = [
    {},
    { createdFrom: at(1_000), createdBefore: at(5_990) },
    { createdFrom: at(5_980) },
    { createdBefore: at(40) },
  ]
  for (const status of [undefined, 'failed', 'aborted', 'queued'] as const)
    for (const endpoint of [undefined, 'images/read'])
      for (const customer of [undefined, 'ada'])
        for (const livemode of [undefined, false])
          for (const pairs of [[], [color('red')], [color('red'), color('blue')]])
            for (const time of times) yield { status, endpoint, customer, livemode, pairs, ...time }
}

test('a request list returns the newest matching requests of the account for every combination of filters [requests.list.2]', async () => {
  for (const filter of combinations()) {
    const fitting = made.filter((one) => passes(one, filter)).map(({ n }) => ids[n] ?? 0)
    for (const before of [null, ids[3_000] ?? 0]) {
      const expected = fitting.filter((id) => id < (before ?? Number.MAX_SAFE_INTEGER)).toReversed()
      const rows = await listFiltered(sql, account.id, { before, limit: 30 }, filter)
      assert.deepEqual(
        rows.map(({ id }) => id),
        expected.slice(0, 30),
        JSON.stringify({ filter, before }),
      )
    }
  }
})

test('a request list with filters that have no common match reads few rows, even if each filter has many matches', async () => {
  const none: FilterRow[] = [
    { status: 'aborted', livemode: false },
    { customer: 'ada', endpoint: 'images/read' },
    { status: 'aborted', livemode: false, pairs: [color('red')] },
    { customer: 'ada', endpoint: 'images/read', pairs: [color('blue')] },
    { pairs: [color('red'), color('none')] },
    { status: 'failed', createdBefore: at(0) },
  ]
  for (const filter of none) {
    const read = await countRowsRead(sql, async (tx) => {
      assert.equal((await listFiltered(tx, account.id, { before: null, limit: 30 }, filter)).length, 0)
    })
    // PostgreSQL reads the open requests, and one row per combination of status, endpoint, and mode.
    assert.ok(read < 200, `${JSON.stringify(filter)} read ${read} rows`)
  }
})

test('a filter value is written into SQL text only if it is the name of a status or an endpoint', () => {
  for (const text of ["queued' or true --", 'images/process/', 'Queued', '']) {
    assert.throws(() => literal(sql, text), RangeError, text)
  }
})
