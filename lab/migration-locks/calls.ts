import type { Runner, Sql } from '@mediamill/server/db/connection/connect'

export const CALLERS = 3

/** An error that rolls back the transaction in which it is thrown. */
class Undone extends Error {}

type KnownIds = { accounts: readonly number[]; events: readonly string[] }

export async function knownOf(sql: Sql): Promise<KnownIds> {
  const accounts = await sql<{ id: number }[]>`select id from accounts order by id limit 50`
  const events = await sql<{ id: string }[]>`select id from events limit 1000`
  return { accounts: accounts.map(({ id }) => id), events: events.map(({ id }) => id) }
}

const drawn = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item

/**
 * Runs the transactions that a service runs most often. Rolls them back, because only their locks matter. Uses only
 * tables of the oldest schema. Returns the elapsed milliseconds.
 */
export async function round(sql: Sql, { accounts, events }: KnownIds, worker: string): Promise<number> {
  const [account, event] = [drawn(accounts), drawn(events)]
  const startedAt = performance.now()
  await sql`select id from api_keys where hash = '\\x00'`
  await undone(
    sql,
    (tx) => tx`
      with account as (update accounts set open_live = open_live + 1 where id = ${account} returning id),
        request as (
          insert into requests (account_id, livemode, endpoint, lane, source, input, turn)
          select id, true, 'images/process', 'image', 'https://example.com', '{}', now() from account returning id)
      insert into idempotency_keys (account_id, livemode, key, fingerprint, holder, held_until, request_id)
      select ${account}, true, gen_random_uuid()::text, '\\x00', gen_random_uuid(), now(), id from request`,
  )
  await undone(
    sql,
    (tx) => tx`
      insert into workers (id, host) values (${worker}::uuid, 'calls') on conflict (id) do update set seen_at = now()`,
  )
  await undone(sql, async (tx) => {
    const [{ id } = { id: 0 }] = await tx<{ id: number }[]>`
      with request as (
          insert into requests (account_id, livemode, endpoint, lane, source, input, turn, status, price, completed_at)
          values (${account}, true, 'images/process', 'image', 'https://example.com', '{}', now(), 'succeeded', 2000, now())
          returning id),
        charged as (
          insert into ledger (account_id, kind, amount, request_id) select ${account}, 'charge', -2000, id from request),
        summed as (
          insert into usage_days values (${account}, true, '*', current_date, 'images/process', 1, 0, 0, 2000, 0, 0, 0)
          on conflict (account_id, livemode, scope, day, endpoint) do update set succeeded = usage_days.succeeded + 1),
        account as (update accounts set balance = balance - 2000 where id = ${account})
      select id from request`
    // Use a separate transaction, because a trigger of later releases also updates the account.
    await tx`
      insert into events (id, account_id, request_id, type, url, status, due_at)
      values ('evt_' || gen_random_uuid(), ${account}, ${id}, 'request.succeeded', 'https://example.com', 'pending', now())`
  })
  await undone(
    sql,
    (tx) => tx`
      with event as (update events set lease = lease + 1 where id = ${event} returning id)
      insert into delivery_attempts (event_id, number, url, started_at, duration_ms, status)
      select id, 1, 'https://example.com', now(), 1, 200 from event`,
  )
  await sql`select count(*) from (select from requests where account_id = ${account} order by id desc limit 20) last`
  return performance.now() - startedAt
}

async function undone(sql: Sql, work: (tx: Runner) => Promise<unknown>): Promise<void> {
  await sql
    .begin(async (tx) => {
      await work(tx)
      throw new Undone()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
}
