import type { AccountId } from '@mediamill/contract/domain/ids'
import { sumUsage } from '@mediamill/server/db/accounts/usage'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import type { RequestFilter } from '@mediamill/server/requests/find'
import { listRequestPage } from '@mediamill/server/requests/find'
import type { Cost } from './rows-cost.ts'
import { openGauge } from './rows-cost.ts'

export type Filled = { databaseUrl: string; other: Sql; accounts: { id: AccountId; liveKey: string }[] }

const ROUNDS = 200
const LIMIT = 100

export async function measureLists({ databaseUrl, other, accounts }: Filled): Promise<Map<string, Cost>> {
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'bench lists', waitsForDisk: false })
  const gauge = await openGauge(sql, other)
  const costs = new Map<string, Cost>()
  const { id } = accounts[0] ?? unreachable()
  const at = async (share: number) => {
    const [row] = await sql<{ id: number; createdAt: Date }[]>`
      select id, created_at as "createdAt" from requests
      where id >= (select (${share}::float8 * max(id))::bigint from requests) order by id limit 1`
    return row ?? unreachable()
  }
  const [middle, old] = [await at(0.5), await at(0.3)]
  const cases: [string, RequestFilter, number?][] = [
    ['list', {}],
    ['list, from the middle', {}, middle.id],
    ...(['succeeded', 'failed', 'aborted'] as const).map((status): [string, RequestFilter] => [status, { status }]),
    ['failed, from the middle', { status: 'failed' }, middle.id],
    ['images/read', { endpoint: 'images/read' }],
    ['images/read, from the middle', { endpoint: 'images/read' }, middle.id],
    ['customer', { customer: 'customer 7' }],
    ['customer, from the middle', { customer: 'customer 7' }, middle.id],
    ['live', { livemode: true }],
    ['test', { livemode: false }],
    ['test, from the middle', { livemode: false }, middle.id],
    ['created_from', { createdFrom: old.createdAt }],
    ['created_to', { createdBefore: middle.createdAt }],
    ['created_from and _to', { createdFrom: old.createdAt, createdBefore: middle.createdAt }],
    ['metadata', { metadata: { shop: 'shop 1' } }],
    ['metadata, from the middle', { metadata: { shop: 'shop 1' } }, middle.id],
    ['endpoint without requests', { endpoint: 'videos/read' }],
    ['failed, test', { status: 'failed', livemode: false }],
    ['aborted, test (none)', { status: 'aborted', livemode: false }],
    ['failed, images/read, live', { status: 'failed', endpoint: 'images/read', livemode: true }],
    ['customer, failed (none)', { customer: 'customer 7', status: 'failed' }],
    ['customer, test (none)', { customer: 'customer 7', livemode: false }],
    ['failed, created_to', { status: 'failed', createdBefore: middle.createdAt }],
    [
      'customer, created_from and _to',
      { customer: 'customer 7', createdFrom: old.createdAt, createdBefore: middle.createdAt },
    ],
    ['metadata, failed', { metadata: { shop: 'shop 1' }, status: 'failed' }],
    ['metadata, aborted, test (none)', { metadata: { shop: 'shop 1' }, status: 'aborted', livemode: false }],
    ['metadata, created_to', { metadata: { shop: 'shop 1' }, createdBefore: middle.createdAt }],
    ['metadata twice', { metadata: { shop: 'shop 1', order: 'none' } }],
  ]
  for (const [name, filter, before = null] of cases) {
    const page = () => listRequestPage(sql, id, { before, limit: LIMIT }, filter)
    const start = performance.now()
    await page()
    const rounds = performance.now() - start > 200 ? 3 : ROUNDS
    costs.set(name, await gauge(rounds, page))
  }
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
  const days = { from: day(91), to: day(0), livemode: true, accountId: id }
  costs.set('usage of 92 days', await gauge(50, () => sumUsage(sql, { ...days, groupBy: 'day', customer: null })))
  costs.set('usage by customer', await gauge(10, () => sumUsage(sql, { ...days, groupBy: 'customer', customer: null })))
  await sql.end({ timeout: 5 })
  return costs
}

function unreachable(): never {
  throw new Error('no row found')
}
