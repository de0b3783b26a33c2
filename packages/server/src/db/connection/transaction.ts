import type { Runner, Sql } from './connect.ts'

export async function transact<Result>(sql: Runner, work: (tx: Runner) => Promise<Result>): Promise<Result> {
  if (!isPool(sql)) return await work(sql)
  return await sql.begin(work)
}

const isPool = (sql: Runner): sql is Sql => 'begin' in sql

/** Makes the commit of this transaction wait for the disk. For a connection that does not wait by default. */
export async function waitForDisk(tx: Runner): Promise<void> {
  await tx`set local synchronous_commit = on`
}

/** Makes the statement's own commit wait for the disk. Works only if it is joined to at least one row. */
export const WITH_DISK = (sql: Runner) => sql`set_config('synchronous_commit', 'on', true) as waited`
