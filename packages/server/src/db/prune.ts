import type { Runner } from './connection/connect.ts'

/** How long delivery attempts and the bodies of their events are kept (docs/operate/README.md). */
const ATTEMPTS_LIFE = '30 days'

export async function deleteOldAttempts(sql: Runner, limit: number): Promise<number> {
  const [row] = await sql<{ deleted: number }[]>`
    with cutoff as (
      select now() - ${ATTEMPTS_LIFE}::interval as at
    ), oldest as materialized (
      select id from delivery_attempts
      where (select started_at from delivery_attempts order by id limit 1) < (select at from cutoff)
      order by id limit ${limit} for update skip locked
    ), deleted as (
      delete from delivery_attempts a using oldest, cutoff
      where a.id = oldest.id and a.started_at < cutoff.at
      returning a.event_id
    ), emptied as (
      update events e set body = null
      from (select distinct event_id from deleted) done, cutoff
      where e.id = done.event_id and e.status <> 'pending' and e.body is not null and not exists (
        select from delivery_attempts a where a.event_id = e.id and a.started_at >= cutoff.at
      )
    )
    select count(*)::integer as deleted from deleted`
  return row?.deleted ?? 0
}

/** Resets due times and heartbeats that are in the future, because the clock of the database was set back. */
export async function returnToNow(sql: Runner): Promise<number> {
  const events = await sql`
    update events set due_at = now() where id in (
      select id from events where due_at > now() + interval '10 minutes' for update skip locked
    ) returning id`
  const workers = await sql`
    update workers set seen_at = now() where id in (
      select id from workers where seen_at > now() + interval '1 minute' for update skip locked
    ) returning id`
  const parts = await sql`
    update video_parts set due_at = now() where id in (
      select id from video_parts where due_at > now() + interval '1 minute' for update skip locked
    ) returning id`
  return events.length + workers.length + parts.length
}
