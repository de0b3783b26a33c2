import type { Sql } from '@mediamill/server/db/connection/connect'

export type RequestRecord = {
  id: number
  plan: number
  endpoint: string
  livemode: boolean
  status: string
  attempt: number
  price: number
  hold: number
  error: { code: string; message: string } | null
  files: { key: string; size: number; sha256: string; thumbnail?: string }[] | null
  /** The duration in seconds, or null if the result is not a video. */
  seconds: number | null
  charges: number[]
  events: { id: string; type: string; url: string | null; status: string; attempts: number }[]
  waitedMs: number
}

export async function readRecords(sql: Sql, newest = 0): Promise<RequestRecord[]> {
  return await sql<RequestRecord[]>`
    select r.id, (r.metadata ->> 'plan')::integer as plan, r.endpoint, r.livemode, r.status, r.attempt, r.price, r.hold,
      r.error, r.files, (r.data ->> 'duration')::double precision as seconds, extract(epoch from r.completed_at - r.created_at)::double precision * 1000 as "waitedMs",
      array(select -amount from ledger l where l.request_id = r.id and kind = 'charge') as charges,
      coalesce((
        select json_agg(json_build_object('id', e.id, 'type', e.type, 'url', e.url, 'status', e.status, 'attempts', e.attempts))
        from events e where e.request_id = r.id
      ), '[]') as events
    from requests r where r.id > ${newest} order by r.id`
}

export async function countOpen(sql: Sql): Promise<{ requests: number; events: number }> {
  const [row] = await sql<{ requests: number; events: number }[]>`
    select (select count(*) from requests where status in ('queued', 'processing'))::integer as requests,
      (select count(*) from events where status = 'pending' and due_at is not null)::integer as events`
  return row ?? { requests: 0, events: 0 }
}

/** Returns the sum of the held amounts, and the number of open requests. Both are 0 if all requests are final. */
export async function sumHolds(sql: Sql): Promise<{ held: number; open: number }> {
  const [row] = await sql<{ held: number; open: number }[]>`
    select coalesce(sum(held), 0)::bigint as held, coalesce(sum(open_live + open_test), 0)::bigint as open from accounts`
  return row ?? { held: 0, open: 0 }
}

export async function countWrongBalances(sql: Sql): Promise<number> {
  const [row] = await sql<{ wrong: number }[]>`
    select count(*)::integer as wrong from accounts a
    where balance <> (select coalesce(sum(amount), 0) from ledger l where l.account_id = a.id)`
  return row?.wrong ?? Number.NaN
}
