import type { Runner } from './connection/connect.ts'
import { isDatabaseError } from './connection/errors.ts'

/** Returns the random id of the database. A restored copy of the database has the same id. */
export async function readDatabaseId(sql: Runner): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from database_id`
  if (row === undefined) throw new Error('the table database_id is empty')
  return row.id
}

/**
 * The claim of a database on its file store. `claims`: how often it was renewed. `instance`: the server, the database,
 * and the timeline, which changes after a restore and after a failover. `instance` is empty if the server hides it.
 */
type Claim = { claims: number; instance: string }

/** Error codes if the role may not read `instance`, if the server lacks the functions, or if a standby rejects them. */
const HIDDEN = ['42501', '42883', '0A000', '55000']

export async function readOwnClaim(sql: Runner): Promise<Claim> {
  const [row] = await sql<{ claims: number }[]>`select claims::float8 as claims from database_id`
  return { claims: row?.claims ?? 0, instance: await readInstance(sql) }
}

async function readInstance(sql: Runner): Promise<string> {
  try {
    const [row] = await sql<{ instance: string }[]>`
      select concat_ws('/', (select system_identifier from pg_control_system()),
        (select oid from pg_database where datname = current_database()),
        left(pg_walfile_name(pg_current_wal_lsn()), 8)) as instance`
    return row?.instance ?? ''
  } catch (error) {
    if (HIDDEN.some((code) => isDatabaseError(error, code))) return ''
    throw error
  }
}

/** Renews the claim. Returns the new number, or `undefined` if another process has renewed it in the last seconds. */
export async function renewOwnClaim(sql: Runner, minAgeMs: number): Promise<number | undefined> {
  const [row] = await sql<{ claims: number }[]>`
    update database_id set claims = claims + 1, claimed_at = now()
    where claimed_at not between now() - ${minAgeMs} * interval '1 millisecond' and now()
    returning claims::float8 as claims`
  return row?.claims
}

/** Raises the number of claims far above `claims`, so that the database with that number cannot catch up. */
export async function exceedClaim(sql: Runner, claims: number): Promise<number> {
  const [row] = await sql<{ claims: number }[]>`
    update database_id set claims = greatest(claims, ${claims}) + 1000000 returning claims::float8 as claims`
  return row?.claims ?? 0
}
