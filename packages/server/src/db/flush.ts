import type { Runner } from './connection/connect.ts'

/** A request as a client saw it: created and, if `completedAt` is set, final. */
type VisibleRequest = { id: number; createdAt: Date; completedAt?: Date }

/** Puts all earlier commits on disk. Returns `false` for a request that a crash lost, even if its id was reused. */
export async function flushCommits(sql: Runner, requests: readonly VisibleRequest[]): Promise<boolean[]> {
  const rows = await sql<{ kept: boolean }[]>`
    with mark as materialized (select pg_logical_emit_message(true, 'mediamill', ''))
    select (r.completed_at is not null or not seen.final::boolean) is true
      and (date_trunc('milliseconds', r.created_at) = seen.created_at::timestamptz) is true as kept
    from mark cross join unnest(
        ${requests.map(({ id }) => id)}::bigint[], ${requests.map(({ createdAt }) => createdAt.toISOString())}::text[],
        ${requests.map(({ completedAt }) => String(completedAt !== undefined))}::text[]
      ) with ordinality as seen (id, created_at, final, place)
      -- A lookup by id for each row: a plan made for an empty table would scan the whole table.
      left join lateral (
        select created_at, completed_at from requests where requests.id = seen.id limit 1
      ) r on true
    order by seen.place`
  return rows.map(({ kept }) => kept)
}
