import type { Lane } from '@mediamill/contract/domain/request'
import { LANES } from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'
import { floorOf } from './fair-order.ts'
import { isAlive } from './workers.ts'

/** Queues are counted up to this number, so that a long queue does not slow down the metrics. */
const MAX_COUNTED = 10_000

export type LaneRow = {
  lane: Lane
  queued: number
  oldestSeconds: number
  /** The percentiles over accounts of the wait time of their oldest queued request. */
  accountsP50Seconds: number
  accountsP95Seconds: number
  processing: number
}

export async function countLanes(sql: Runner): Promise<LaneRow[]> {
  return await sql<LaneRow[]>`
    select lane, queue.queued, queue."oldestSeconds", queue."accountsP50Seconds", queue."accountsP95Seconds",
      coalesce(work.processing, 0)::integer as processing
    from unnest(${LANES}::text[]) as lane
    cross join lateral (
      select coalesce(sum(jobs), 0)::integer as queued, coalesce(max(seconds), 0)::float as "oldestSeconds",
        coalesce(percentile_cont(0.5) within group (order by seconds), 0) as "accountsP50Seconds",
        coalesce(percentile_cont(0.95) within group (order by seconds), 0) as "accountsP95Seconds"
      from (
        select count(*) as jobs, extract(epoch from now() - min(created_at))::float as seconds from (
          select account_id, created_at from jobs j
          where j.lane = lane.lane and j.worker_id is null and j.tag >= ${floorOf(sql, sql`lane.lane`)}
          order by j.tag, j.record_id limit ${MAX_COUNTED}
        ) waiting group by account_id
      ) accounts
    ) queue
    left join (
      select lane, count(*) as processing from jobs where worker_id is not null group by lane
    ) work using (lane)`
}

export async function countEvents(sql: Runner): Promise<{ waiting: number; overdueSeconds: number }> {
  const [row] = await sql<{ waiting: number; overdueSeconds: number }[]>`
    select count(*)::integer as waiting,
      greatest(coalesce(extract(epoch from now() - min(due_at)), 0), 0)::float as "overdueSeconds"
    from (select due_at from events where due_at is not null limit ${MAX_COUNTED}) due`
  return row ?? { waiting: 0, overdueSeconds: 0 }
}

/** An event is stuck after this many claims without a delivery result. A stopped worker causes only one such claim. */
const STUCK_CLAIMS = 3

export async function countStuckEvents(sql: Runner): Promise<number> {
  const [row] = await sql<{ stuck: number }[]>`
    select count(*)::integer as stuck
    from (select id, lease, attempts from events where due_at is not null limit ${MAX_COUNTED}) e
    where e.lease >= e.attempts + ${STUCK_CLAIMS}
      and e.lease >= ${STUCK_CLAIMS} + (select count(*) from delivery_attempts a where a.event_id = e.id)`
  return row?.stuck ?? 0
}

/** Returns the current role if PostgreSQL hides the transactions of other roles and the standbys from it. */
export async function roleWithoutStats(sql: Runner): Promise<string | undefined> {
  const [row] = await sql<{ role: string }[]>`
    select quote_ident(current_user) as role where not pg_has_role(current_user, 'pg_read_all_stats', 'usage')`
  return row?.role
}

/** Returns the age in seconds of the oldest open or prepared transaction that the current role can see. */
export async function oldestSnapshot(sql: Runner): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select coalesce(extract(epoch from clock_timestamp() - min(began_at)), 0)::float as seconds from (
      select xact_start as began_at from pg_stat_activity
      where datname = current_database() and (backend_xmin is not null or backend_xid is not null)
        and pid <> pg_backend_pid()
      union all
      select prepared from pg_prepared_xacts where database = current_database()
    ) open`
  return row?.seconds ?? 0
}

export type XminHolder = { holder: 'slot' | 'standby'; transactions: number }

/**
 * Returns the ages of the oldest snapshots of replication slots and standbys. An age is a number of transactions,
 * because PostgreSQL records no time for these snapshots.
 */
export async function oldestXmins(sql: Runner): Promise<XminHolder[]> {
  return await sql<XminHolder[]>`
    select 'slot' as holder, coalesce(max(greatest(age(xmin), age(catalog_xmin))), 0)::integer as transactions
    from pg_replication_slots
    union all
    select 'standby', coalesce(max(age(backend_xmin)), 0)::integer from pg_stat_replication`
}

export async function readCleanupLag(sql: Runner): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select greatest(coalesce(extract(epoch from now() - min(sweep_at)), 0), 0)::float as seconds
    from requests where sweep_at <= now()`
  return row?.seconds ?? 0
}

const BUSY_TABLES = ['accounts', 'events', 'jobs', 'ledger', 'requests', 'workers']

export type DeadRows = { table: string; rows: number; autovacuumRows: number }

/**
 * Counts the dead rows of busy tables. `autovacuumRows`: the number above which autovacuum starts (see "The Autovacuum
 * Daemon" in the manual of PostgreSQL).
 */
export async function countDeadRows(sql: Runner): Promise<DeadRows[]> {
  return await sql<DeadRows[]>`
    select c.relname as table, s.n_dead_tup::float as rows,
      least(o.threshold + o.scale_factor * greatest(c.reltuples, 0), nullif(o.max_threshold, -1)) as "autovacuumRows"
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid cross join lateral (
      select
        coalesce(max(option_value) filter (where option_name = 'autovacuum_vacuum_threshold'),
          current_setting('autovacuum_vacuum_threshold'))::float as threshold,
        coalesce(max(option_value) filter (where option_name = 'autovacuum_vacuum_scale_factor'),
          current_setting('autovacuum_vacuum_scale_factor'))::float as scale_factor,
        coalesce(max(option_value) filter (where option_name = 'autovacuum_vacuum_max_threshold'),
          current_setting('autovacuum_vacuum_max_threshold', true))::float as max_threshold
      from pg_options_to_table(c.reloptions)) o
    where s.schemaname = current_schema() and s.relname = any(${BUSY_TABLES}::text[])`
}

type ConnectionRow = { pool: string; state: string; connections: number }

export async function countConnections(sql: Runner): Promise<ConnectionRow[]> {
  return await sql<ConnectionRow[]>`
    select substring(application_name from 11) as pool, coalesce(state, 'unknown') as state,
      count(*)::integer as connections
    from pg_stat_activity
    where datname = current_database() and application_name like 'mediamill %'
    group by 1, 2`
}

export async function sumUploads(sql: Runner): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`select coalesce(sum(bytes), 0)::bigint as bytes from upload_room`
  return row?.bytes ?? 0
}

/** Sums the sizes of all stored results, unless the last sum began less than 10 minutes ago. Reads only an index. */
export async function measureStoredResults(sql: Runner): Promise<void> {
  // Moves the time first, so that a sum that fails does not start again at once.
  const due = await sql`
    update stored_results set measured_at = now() where measured_at < now() - interval '10 minutes' returning true`
  if (due.length === 0) return
  await sql`
    update stored_results set bytes = (select coalesce(sum(result_bytes), 0) from requests where sweep_at is not null)`
}

/** Returns the last sum of `measureStoredResults` in bytes, or `NaN` before the first sum. */
export async function readStoredResults(sql: Runner): Promise<number> {
  const [row] = await sql<{ bytes: number | null }[]>`select bytes from stored_results`
  return row?.bytes ?? Number.NaN
}

export async function countWorkers(sql: Runner): Promise<number> {
  const [row] = await sql<{ alive: number }[]>`
    select count(*)::integer as alive from workers
    where ${isAlive(sql)} and role is distinct from 'maintenance'`
  return row?.alive ?? 0
}

/** Finds balances that differ from the ledger. To continue, pass the returned `last` as `after`. */
export async function compareBalances(
  sql: Runner,
  after: number,
  accounts: number,
): Promise<{ last: number | undefined; wrong: number[] }> {
  const rows = await sql<{ id: number; wrong: boolean }[]>`
    select a.id, a.balance <> coalesce((select sum(l.amount) from ledger l where l.account_id = a.id), 0) as wrong
    from (select id, balance from accounts where id > ${after} order by id limit ${accounts}) a
    order by a.id`
  return { last: rows.at(-1)?.id, wrong: rows.filter(({ wrong }) => wrong).map(({ id }) => id) }
}
