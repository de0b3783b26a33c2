import type { Runner } from './connect.ts'

/** What was told of a request: that it is there, and that it is final if it is. */
export type ToldRequest = { id: number; createdAt: Date; completedAt?: Date }

/**
 * Commits a transaction that writes nothing but a mark in the log, and waits until it is on disk: with it is everything
 * that was committed before, by any connection. On a connection that `waitsForDisk`.
 *
 * Returns which of the requests are as they were told: a server that crashed meanwhile has forgotten what was not on disk,
 * and may give the number of a lost request to another, which has another time.
 */
export async function flushCommits(sql: Runner, told: readonly ToldRequest[]): Promise<Set<number>> {
  const finals = told.filter(({ completedAt }) => completedAt !== undefined)
  const rows = await sql<{ id: number }[]>`
    with mark as materialized (select pg_logical_emit_message(true, 'mediamill', ''))
    select told.id from mark cross join unnest(
        ${told.map(({ id }) => id)}::bigint[], ${told.map(({ createdAt }) => createdAt.toISOString())}::text[]
      ) as told (id, created_at)
      -- One by its number at a time: a plan that was made for an empty table would read all of a full one.
      cross join lateral (
        select created_at, completed_at from requests where requests.id = told.id limit 1
      ) r
    where date_trunc('milliseconds', r.created_at) = told.created_at::timestamptz
      and (r.completed_at is not null or told.id <> all(${finals.map(({ id }) => id)}::bigint[]))`
  return new Set(rows.map(({ id }) => id))
}
