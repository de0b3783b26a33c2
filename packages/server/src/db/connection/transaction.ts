import type { Runner, Sql } from './connect.ts'

/** Runs work in a transaction. In the one that there is, or in a new one. */
export async function transact<Result>(sql: Runner, work: (tx: Runner) => Promise<Result>): Promise<Result> {
  if (!isPool(sql)) return await work(sql)
  return await sql.begin(work)
}

const isPool = (sql: Runner): sql is Sql => 'begin' in sql

/** Makes this transaction's end wait until it is on disk. It is for connections that do not wait by themselves. */
export async function waitForDisk(tx: Runner): Promise<void> {
  await tx`set local synchronous_commit = on`
}

/** Has a statement's own commit wait for the disk, where rows are joined to it. */
export const WITH_DISK = (sql: Runner) => sql`set_config('synchronous_commit', 'on', true) as waited`
