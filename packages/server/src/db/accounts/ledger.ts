import type { Runner } from '../connection/connect.ts'
import { today } from '../today.ts'

export type Difference = {
  accountId: number
  balance: number
  ledgerSum: number
  held: number
  holdsSum: number
  openLive: number
  openLiveCount: number
  openTest: number
  openTestCount: number
}

/** How many accounts or requests one statement checks. With larger numbers, a statement could exceed its timeout. */
const ACCOUNTS_AT_ONCE = 100
const REQUESTS_AT_ONCE = 50_000

const MAX_MISCHARGED = 1_000

export async function listDifferences(sql: Runner): Promise<Difference[]> {
  const found: Difference[] = []
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: (Difference & { differs: boolean })[] = await sql<(Difference & { differs: boolean })[]>`
      with batch as (
        select * from accounts where id > ${after} order by id limit ${ACCOUNTS_AT_ONCE}
      ), books as (
        select a.id as "accountId", a.balance, coalesce(entries.sum, 0) as "ledgerSum",
          a.held, coalesce(open.holds, 0) as "holdsSum",
          a.open_live as "openLive", open.live as "openLiveCount",
          a.open_test as "openTest", open.test as "openTestCount"
        from batch a
        cross join lateral (select sum(amount)::bigint as sum from ledger where account_id = a.id) entries
        cross join lateral (
          select sum(hold)::bigint as holds, count(*) filter (where livemode)::integer as live,
            count(*) filter (where not livemode)::integer as test
          from requests where account_id = a.id and status in ('queued', 'processing')
        ) open
      )
      select *, balance <> "ledgerSum" or held <> "holdsSum" or "openLive" <> "openLiveCount" or "openTest" <> "openTestCount" as differs
      from books order by "accountId"`
    for (const { differs, ...difference } of rows) if (differs) found.push(difference)
    after = rows.at(-1)?.accountId
  }
  return found
}

export async function listMischarged(sql: Runner): Promise<{ requestId: number; price: number; charged: number }[]> {
  const [{ last } = { last: 0 }] = await sql<{ last: number }[]>`select coalesce(max(id), 0) as last from requests`
  const found: { requestId: number; price: number; charged: number }[] = []
  for (let after = 0; after < last && found.length < MAX_MISCHARGED; after += REQUESTS_AT_ONCE) {
    const until = after + REQUESTS_AT_ONCE
    found.push(
      ...(await sql<{ requestId: number; price: number; charged: number }[]>`
        with charges as (
          select request_id, -sum(amount)::bigint as charged from ledger
          where kind = 'charge' and request_id > ${after} and request_id <= ${until}
          group by request_id
        )
        select r.id as "requestId", r.price, coalesce(charges.charged, 0) as charged
        from requests r left join charges on charges.request_id = r.id
        where r.id > ${after} and r.id <= ${until} and coalesce(charges.charged, 0) <> r.price
        order by r.id limit ${MAX_MISCHARGED - found.length}`),
    )
  }
  return found
}

export type Overdrawn = { accountId: number; balance: number; dearestCharge: number }

/** Finds violations of billing.holds.2: a balance below zero by more than the account's largest charge. */
export async function listOverdrawn(sql: Runner): Promise<Overdrawn[]> {
  return await sql<Overdrawn[]>`
    select a.id as "accountId", a.balance, coalesce(charges.dearest, 0) as "dearestCharge"
    from accounts a cross join lateral (
      select -min(amount) filter (where kind = 'charge') as dearest, count(*) filter (where kind = 'adjustment' and amount < 0) as corrections
      from ledger where account_id = a.id
    ) charges
    where a.balance < 0 and corrections = 0 and -a.balance > coalesce(charges.dearest, 0)
    order by a.id limit 1000`
}

export type LedgerRow = {
  id: number
  accountId: number
  kind: 'grant' | 'purchase' | 'charge' | 'adjustment'
  amount: number
  requestId: number | null
  /** Charged units: outputs, pages, or minutes. `null` without a charge, or if the request is archived. */
  units: number | null
  reference: string | null
  createdAt: Date
}

export async function listMovements(
  sql: Runner,
  which: { accountId: number | null; before: number | null; limit: number },
): Promise<LedgerRow[]> {
  const { accountId, before, limit } = which
  return await sql<LedgerRow[]>`
    select l.id, l.account_id as "accountId", l.kind, l.amount, l.request_id as "requestId", l.reference,
      l.created_at as "createdAt", case when l.kind = 'charge' then -l.amount / nullif(r.unit_price, 0) end as units
    from ledger l left join requests r on r.id = l.request_id
    where ${accountId === null ? sql`true` : sql`l.account_id = ${accountId}`} and l.id < ${before ?? Number.MAX_SAFE_INTEGER}::bigint
    order by l.id desc limit ${limit}`
}

type RevenueRow = {
  date: string
  requests: number
  succeeded: number
  failed: number
  revenue: number
  purchases: number
}

export async function sumRevenue(sql: Runner, days: number): Promise<RevenueRow[]> {
  return await sql<RevenueRow[]>`
    with days as (
      select (${today(sql)} - back) as day from generate_series(0, ${days}::integer - 1) as back
    ), used as (
      select day, sum(succeeded + failed + aborted)::bigint as requests, sum(succeeded)::bigint as succeeded,
        sum(failed)::bigint as failed, sum(spent)::bigint as revenue
      from usage_days where scope = '*' and livemode and day > ${today(sql)} - ${days}::integer
      group by day
    ), paid as (
      select (created_at at time zone 'utc')::date as day, sum(amount)::bigint as purchases from ledger
      where kind = 'purchase'
        and created_at >= ((${today(sql)} - ${days}::integer + 1)::timestamp at time zone 'utc')
      group by 1
    )
    select to_char(days.day, 'YYYY-MM-DD') as date, coalesce(requests, 0) as requests, coalesce(succeeded, 0) as succeeded,
      coalesce(failed, 0) as failed, coalesce(revenue, 0) as revenue, coalesce(purchases, 0) as purchases
    from days left join used using (day) left join paid using (day)
    order by days.day`
}

export async function findPurchase(
  sql: Runner,
  accountId: number,
  reference: string,
): Promise<{ id: number; amount: number } | undefined> {
  const [row] = await sql<{ id: number; amount: number }[]>`
    select id, amount from ledger
    where account_id = ${accountId} and kind = 'purchase' and reference = ${reference}
    order by id limit 1`
  return row
}
