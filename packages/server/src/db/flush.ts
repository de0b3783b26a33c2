import type { Runner } from './connection/connect.ts'

/** What a flush promised of a request. It is there, and it is final if it is. */
export type ToldRequest = { id: number; createdAt: Date; completedAt?: Date }

/**
 * Commits a mark in the log and waits until it is on disk. The transaction writes nothing else, and everything that was
 * committed before it, by any connection, is on disk with it. On a connection that `waitsForDisk`.
 *
 * Returns of each request, in the order of `told`, whether it is as it was told: a server that crashed meanwhile has
 * forgotten what was not on disk, and may give the number of a lost request to another, which has another time.
 */
export async function flushCommits(sql: Runner, told: readonly ToldRequest[]): Promise<boolean[]> {
  const rows = await sql<{ kept: boolean }[]>`
    with mark as materialized (select pg_logical_emit_message(true, 'mediamill', ''))
    select (r.completed_at is not null or not told.final::boolean) is true
      and (date_trunc('milliseconds', r.created_at) = told.created_at::timestamptz) is true as kept
    from mark cross join unnest(
        ${told.map(({ id }) => id)}::bigint[], ${told.map(({ createdAt }) => createdAt.toISOString())}::text[],
        ${told.map(({ completedAt }) => String(completedAt !== undefined))}::text[]
      ) with ordinality as told (id, created_at, final, place)
      -- One by its number at a time: a plan that was made for an empty table would read all of a full one.
      left join lateral (
        select created_at, completed_at from requests where requests.id = told.id limit 1
      ) r on true
    order by told.place`
  return rows.map(({ kept }) => kept)
}
