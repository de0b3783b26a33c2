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

/** Makes the commit wait for the disk. PostgreSQL skips this expression if the statement returns no row. */
export const WITH_DISK = (sql: Runner) => sql`set_config('synchronous_commit', 'on', true) as waited`

/** Makes the commit return before it is on disk. PostgreSQL skips this expression if the statement returns no row. */
export const WITHOUT_DISK = (sql: Runner) => sql`set_config('synchronous_commit', 'off', true) as unwaited`

/** Takes an advisory lock until the end of the transaction. If another session has the lock, returns `false` at once. */
export async function tryLock(tx: Runner, lock: number): Promise<boolean> {
  const [row] = await tx<{ isHeld: boolean }[]>`select pg_try_advisory_xact_lock(${lock}) as "isHeld"`
  return row?.isHeld === true
}
