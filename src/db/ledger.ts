import type { Runner } from './connect.ts'

/** An account whose books do not agree: what its row says beside what its parts sum to. */
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

/** Recomputes every account's balance, holds and open requests from what they sum, and returns those that differ. */
export async function listDifferences(sql: Runner): Promise<Difference[]> {
  const rows = await sql<Difference[]>`
    with sums as (
      select account_id, sum(amount)::bigint as ledger from ledger group by account_id
    ), live as (
      select account_id, sum(hold)::bigint as holds, count(*) filter (where livemode)::integer as live,
        count(*) filter (where not livemode)::integer as test
      from requests where completed_at is null group by account_id
    ), books as (
      select a.id as "accountId", a.balance, coalesce(sums.ledger, 0) as "ledgerSum",
        a.held, coalesce(live.holds, 0) as "holdsSum",
        a.open_live as "openLive", coalesce(live.live, 0) as "openLiveCount",
        a.open_test as "openTest", coalesce(live.test, 0) as "openTestCount"
      from accounts a left join sums on sums.account_id = a.id left join live on live.account_id = a.id
    )
    select * from books
    where balance <> "ledgerSum" or held <> "holdsSum" or "openLive" <> "openLiveCount" or "openTest" <> "openTestCount"
    order by "accountId"`
  return [...rows]
}

/** Live requests whose charge is missing, doubled, of another amount, or should not be. */
export async function listMischarged(sql: Runner): Promise<{ requestId: number; price: number; charged: number }[]> {
  const rows = await sql<{ requestId: number; price: number; charged: number }[]>`
    select r.id as "requestId", r.price, coalesce(-sum(l.amount), 0)::bigint as charged
    from requests r left join ledger l on l.request_id = r.id and l.kind = 'charge'
    where r.completed_at is not null
    group by r.id
    having coalesce(-sum(l.amount), 0) <> r.price
    order by r.id limit 1000`
  return [...rows]
}
