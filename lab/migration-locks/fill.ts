import type { Sql } from '@mediamill/server/db/connection/connect'

const BLOCK = 100_000

export async function fill(sql: Sql, count: number): Promise<void> {
  await sql`insert into accounts (name, email) select 'Account ' || n, n || '@example.com' from generate_series(1, 20) n`
  const [{ first } = { first: 1 }] = await sql<{ first: number }[]>`select min(id) as first from accounts`
  for (let from = 0; from < count; from += BLOCK) {
    const until = Math.min(count, from + BLOCK) - 1
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`
        insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, attempt, price, customer, created_at, started_at, completed_at)
        select ${first}::bigint + n % 20, true, 'images/process', 'image', 'succeeded', 'https://example.com/' || n || '.jpg',
          '{"operations":[{"type":"resize","width":1200,"height":800}]}', at, 1, 2000, 'customer ' || n % 50, at, at, at
        from (select n, now() - (${count}::bigint - n) * interval '1 second' as at from generate_series(${from}::bigint, ${until}::bigint) n) made`
      await tx`
        insert into ledger (account_id, kind, amount, request_id, created_at)
        select account_id, 'charge', -price, id, completed_at from requests where id > (select max(id) from requests) - ${until - from + 1}::bigint`
      await tx`
        insert into events (id, account_id, request_id, type, status, created_at)
        select 'evt_' || md5(id::text), account_id, id, 'request.succeeded', 'unaddressed', completed_at
        from requests where id > (select max(id) from requests) - ${until - from + 1}::bigint`
    })
  }
  await sql`vacuum (analyze)`
}
