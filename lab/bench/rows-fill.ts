import type { Runner, Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { dropIndexes, makeIndexes } from './rows-indexes.ts'

const BLOCK = 100_000

/** Age of the oldest request in days: the longest period that a usage call may request (usage.range.1). */
const DAYS = 92

/**
 * Fills the database with finished requests of the last 92 days, and with their rows in other tables. The first account
 * gets a tenth of the requests. Returns `false` if time runs out; the next run continues.
 */
export async function fill(
  databaseUrl: string,
  accounts: number[],
  count: number,
  options: { say: (line: string) => void; hasTime: () => boolean },
): Promise<boolean> {
  const connections = { connections: 3, applicationName: 'bench fill', waitsForDisk: false } as const
  const sql = connect(databaseUrl, { ...connections, patient: true })
  try {
    await sql`create table if not exists bench_steps (name text primary key, made_at timestamptz not null default now())`
    const steps = await sql<{ name: string; madeAt: Date }[]>`select name, made_at as "madeAt" from bench_steps`
    const made = new Set(steps.map(({ name }) => name))
    if (made.has('finished')) return true
    if (!made.has('begun')) {
      await dropIndexes(sql)
      await sql`insert into bench_steps (name) values ('begun')`
    }
    const [{ now } = { now: new Date() }] = await sql<{ now: Date }[]>`
      select made_at as now from bench_steps where name = 'begun'`
    let next = 0
    const work = async () => {
      while (next < count && options.hasTime()) {
        const from = next
        next += BLOCK
        if (made.has(`block ${from}`)) continue
        await fillBlock(sql, accounts, { from, until: Math.min(count, from + BLOCK), count, now })
        options.say(`${from} of ${count}`)
      }
    }
    await Promise.all([work(), work()])
    if (next < count || !(await makeIndexes(sql, options))) return false
    if (!options.hasTime()) return false
    await finish(sql)
    return true
  } finally {
    await sql.end({ timeout: 5 })
  }
}

type Block = { from: number; until: number; count: number; now: Date }

const FIRST = 1

async function fillBlock(sql: Sql, accounts: number[], { from, until, count, now }: Block): Promise<void> {
  await sql.begin(async (tx) => {
    // Do not check foreign keys: these inserts create only valid references.
    await tx`set local session_replication_role = replica`
    const ids = { low: FIRST + from, high: FIRST + until - 1 }
    await tx`
      insert into requests (id, account_id, livemode, endpoint, lane, status, source, webhook_url, input, customer,
        metadata, turn, attempt, price, data, files, error, source_bytes, result_bytes, created_at, started_at,
        completed_at, deleted_at, sweep_at)
      overriding system value
      select ${FIRST}::bigint + n, account, n % 10 > 0, endpoint, 'image', status,
        'https://pictures.example.com/originals/2026/' || md5(n::text) || '.jpg',
        case when n % 3 > 0 then 'https://shop.example.com/hooks/mediamill' end,
        '{"operations":[{"type":"resize","width":1200,"height":800},{"type":"compress","quality":82}],"output":{"format":"webp"}}',
        case when n % 10 > 0 then 'customer ' || draw % 50 end,
        case when n % 3 = 0 then json_build_object('order', md5(draw::text), 'shop', 'shop ' || n % 2) end, at, 1,
        case when status = 'succeeded' and n % 10 > 0 then 2000 else 0 end,
        case when status = 'succeeded' then '{"width":1200,"height":800,"format":"WEBP","size":148213}'::json end,
        case when status = 'succeeded' and filed then json_build_array(json_build_object(
          'key', substr(md5(n::text), 1, 26) || lpad(to_hex(${FIRST}::bigint + n), 14, '0') || '.webp', 'format', 'webp', 'size', 148213,
          'sha256', md5(n::text) || md5(draw::text))) end,
        case when status = 'failed' then '{"code":"source_unreachable","message":"The source could not be downloaded."}'::json end,
        case when status = 'aborted' then 0 else 2400000 end,
        case when status = 'succeeded' and filed then 148213 else 0 end,
        at, at + interval '1 second', at + interval '2 seconds',
        case when status = 'succeeded' and filed then at + interval '7 days 2 seconds' end,
        case when status = 'succeeded' and filed and at + interval '7 days 2 seconds' > ${now}
          then at + interval '7 days 2 seconds' end
      from (
        select n, draw, filed, (${accounts}::bigint[])[1 + case when n % 10 = 3 then 0 else draw % ${accounts.length} end] as account,
          case when draw % 25 = 0 and n % 10 > 0 then 'aborted' when draw % 25 < 3 then 'failed' else 'succeeded' end as status,
          (case when filed then array['images/process', 'documents/snapshot'] else array['images/read', 'documents/read'] end)[1 + draw / 7 % 2] as endpoint,
          ${now}::timestamptz - interval '1 minute' - (1 - n / ${count}::double precision) * ${DAYS} * interval '1 day' as at
        from (
          select n, abs(hashint8(n)::bigint) as draw, hashint8(n + 7) % 10 > -5 as filed
          from generate_series(${from}::bigint, ${until - 1}::bigint) n
        ) drawn
      ) made`
    const range = tx`r.id between ${ids.low} and ${ids.high}`
    await tx`
      insert into request_metadata (account_id, pair, request_id)
      select account_id, ('x' || left(md5(md5(key) || md5(value)), 13))::bit(52)::bigint, id
      from requests r, json_each_text(r.metadata) where ${range}`
    await tx`
      insert into ledger (account_id, kind, amount, request_id, created_at)
      select account_id, 'charge', -price, id, completed_at from requests r where ${range} and price > 0 order by id`
    await tx`
      insert into events (id, account_id, request_id, type, url, status, attempts, lease, body, created_at, sequence)
      select 'evt_' || lpad(to_hex((extract(epoch from completed_at) * 1000)::bigint), 12, '0') || '7' || substr(md5(id::text), 1, 19),
        account_id, id, 'request.' || r.status, webhook_url,
        case when webhook_url is null then 'unaddressed' when id % 1000 = 1 then 'undelivered' else 'delivered' end,
        case when webhook_url is null then 0 else 1 end, case when webhook_url is null then 0 else 1 end,
        case when webhook_url is not null and completed_at > ${now}::timestamptz - interval '7 days'
          then convert_to(rpad('{"object":"event"', 1100, md5(id::text)), 'UTF8') end, completed_at,
        -- In their order, and with gaps, which cost a cursor nothing.
        id
      from requests r where ${range} order by id`
    await tx`
      insert into delivery_attempts (event_id, number, url, started_at, duration_ms, status, answer)
      select e.id, 1, e.url, e.created_at, 120, case e.status when 'delivered' then 204 else 500 end, '\\x6f6b'::bytea
      from events e join requests r on r.id = e.request_id where ${range} and e.body is not null order by r.id`
    await tx`
      insert into idempotency_keys (account_id, livemode, key, fingerprint, holder, held_until, request_id, created_at)
      select account_id, livemode, gen_random_uuid()::text, sha256(source::bytea), gen_random_uuid(), created_at, id, created_at
      from requests r where ${range} and created_at > ${now}::timestamptz - interval '1 day' and id % 3 = 0`
    await tx`insert into bench_steps (name) values (${`block ${from}`})`
  })
}

async function finish(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local work_mem = '256MB'`
    await tx`select setval(pg_get_serial_sequence('requests', 'id'), (select max(id) from requests))`
    await tx`truncate usage_days`
    await sumUsageDays(tx)
    await tx`
      update accounts a set event_count = e.newest
      from (select account_id, max(sequence) as newest from events group by account_id) e where e.account_id = a.id`
    await tx`
      update accounts a set balance = l.sum
      from (select account_id, sum(amount) as sum from ledger group by account_id) l where l.account_id = a.id`
  })
  const vacuum = await sql.reserve()
  await vacuum`vacuum (analyze)`
  await vacuum`insert into bench_steps (name) values ('finished')`
  await vacuum`checkpoint`
  vacuum.release()
}

/** Fills the empty table `usage_days` with the daily sums that the service adds when requests finish. */
async function sumUsageDays(tx: Runner): Promise<void> {
  await tx`
    insert into usage_days
    select account_id, livemode, scope, (created_at at time zone 'utc')::date, endpoint,
      count(*) filter (where status = 'succeeded'), count(*) filter (where status = 'failed'),
      count(*) filter (where status = 'aborted'), sum(price),
      coalesce(sum(source_bytes) filter (where status = 'succeeded'), 0),
      coalesce(sum(source_bytes) filter (where status <> 'succeeded'), 0), sum(result_bytes)
    from requests, unnest(array['*', coalesce('=' || customer, '-')]) as scope
    where completed_at is not null
    group by 1, 2, 3, 4, 5`
}
