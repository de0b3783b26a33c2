import type { Runner } from './connection/connect.ts'
import type { Fragment } from './connection/statement.ts'

export const UNMEASURED_MS = 1_000

/** Returns the virtual time of a lane: the highest tag (queue position) claimed so far. `lane` is SQL of type text. */
export const clockOf = (sql: Runner, lane: Fragment) => sql`
  pg_sequence_last_value(('lane_clock_' || ${lane})::regclass)`

export const advanceClock = (sql: Runner, lane: Fragment, tag: Fragment) => sql`
  setval(('lane_clock_' || ${lane})::regclass, greatest(${tag}, ${clockOf(sql, lane)}))`

/**
 * Returns the lowest tag (queue position) that claims in a lane consider. As a subquery, it lets an index scan skip
 * entries of ended jobs.
 */
export const floorOf = (sql: Runner, lane: Fragment) => sql`
  (select pg_sequence_last_value(('lane_floor_' || ${lane})::regclass))`

/** The age at which a lane's mark (a stored tag) becomes the lane's floor: the tag at which claims start. */
const MARK_AGE = '2 seconds'

/**
 * Raises the floors of the lanes to marks that are old enough, and sets new marks. A new mark cannot be the floor yet,
 * because running transactions may still commit jobs with lower tags.
 */
export async function raiseFloors(sql: Runner): Promise<void> {
  await sql`
    with due as materialized (
      select lane, mark from lanes
      where marked_at <= now() - ${MARK_AGE}::interval
        -- Skip a lane in which no job was claimed since the last run.
        and not (mark = ${clockOf(sql, sql`lane`)} and mark = ${floorOf(sql, sql`lane`)})
      for no key update skip locked
    ), front as materialized (
      select due.lane, due.mark, least(coalesce(first.tag, clock), clock) as tag
      from due cross join lateral (select ${clockOf(sql, sql`due.lane`)} as clock) now
        left join lateral (
          select tag from jobs j
          where j.lane = due.lane and j.worker_id is null and j.tag >= ${floorOf(sql, sql`due.lane`)}
          order by j.tag, j.record_id limit 1
        ) first on true
    )
    update lanes l set mark = front.tag, marked_at = now()
    from front cross join lateral setval(
        ('lane_floor_' || front.lane)::regclass, greatest(${floorOf(sql, sql`front.lane`)}, least(front.mark, front.tag))
      ) raised
    where l.lane = front.lane`
}

/** Raises the tags of jobs that were committed late. Claims start at the floor, so they would miss these jobs. */
export async function raiseLateTags(sql: Runner): Promise<number> {
  const moved = await sql`
    update jobs j set tag = ${clockOf(sql, sql`j.lane`)}
    from lanes l where j.lane = l.lane and j.worker_id is null and j.tag < ${floorOf(sql, sql`l.lane`)}`
  return moved.count
}

const SAMPLE = 5_000

export async function measureCosts(sql: Runner): Promise<void> {
  await sql`
    insert into endpoint_costs as c (endpoint, ms)
    select endpoint, greatest(1, avg(ms))::integer from (
      select endpoint,
        (took ->> 'downloadMs')::float + (took ->> 'processMs')::float + (took ->> 'storeMs')::float as ms
      from requests order by id desc limit ${SAMPLE}
    ) recent
    where ms is not null group by endpoint
    on conflict (endpoint) do update set ms = excluded.ms where abs(excluded.ms - c.ms) > c.ms * 0.1`
}
