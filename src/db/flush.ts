import type { Runner } from './connect.ts'

/**
 * Commits a transaction that writes nothing but a mark in the log, and waits until it is on disk: with it is everything
 * that was committed before, by any connection. On a connection that `waitsForDisk`.
 */
export async function flushCommits(sql: Runner): Promise<void> {
  await sql`select pg_logical_emit_message(true, 'mediamill', '')`
}
