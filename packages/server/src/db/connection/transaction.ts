import type { Runner, Sql } from './connect.ts'

export async function transact<Result>(sql: Runner, work: (tx: Runner) => Promise<Result>): Promise<Result> {
  if (!isPool(sql)) return await work(sql)
  return await sql.begin(work)
}

const isPool = (sql: Runner): sql is Sql => 'begin' in sql

/** Makes the commit of this transaction wait for the disk, on a connection whose commits do not wait. */
export async function waitForDisk(tx: Runner): Promise<void> {
  await tx`set local synchronous_commit = on`
}

/** The commit waits for the disk. PostgreSQL skips this expression if the statement returns no row. */
export const WITH_DISK = (sql: Runner) => sql`set_config('synchronous_commit', 'on', true) as waited`
