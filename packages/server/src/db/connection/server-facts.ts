import type { Sql } from './connect.ts'
import { connect, isAway, openLook } from './connect.ts'
import { databasePlaces } from './places.ts'

/** The major version of PostgreSQL, and its time. */
export type ServerFacts = { version: number; now: Date }

/** Reads what the database server says of itself. */
export async function readServerFacts(sql: Sql): Promise<ServerFacts> {
  const [row] = await sql<{ version: number; now: Date }[]>`
    select current_setting('server_version_num')::int / 10000 as version, clock_timestamp() as now`
  if (row === undefined) throw new Error('the database said nothing of itself')
  return row
}

/** A server that takes writes. A promotion begins a timeline, so the highest is of the one that was promoted last. */
export type WritingServer = { address: string; place: string; timeline: number }

/**
 * Lists the servers of a database's address that take writes, the last promoted first.
 *
 * More than one are parted: what either has committed since is not with the other.
 */
export async function listWriting(databaseUrl: string): Promise<WritingServer[]> {
  const { addresses, mayBeStandby } = databasePlaces(databaseUrl) ?? { addresses: [], mayBeStandby: false }
  if (!mayBeStandby) return []
  const found = await Promise.all(
    addresses.map(async (address) => {
      const timeline = await askOnce(address)
      return timeline === undefined ? [] : [{ address, place: new URL(address).host, timeline }]
    }),
  )
  return found.flat().sort((one, other) => other.timeline - one.timeline)
}

async function askOnce(address: string): Promise<number | undefined> {
  const look = openLook(address)
  try {
    return await look.ask()
  } catch (error) {
    if (isAway(error)) return undefined
    throw error
  } finally {
    await look.end()
  }
}

/** Does something on one of them, whatever the others say. */
export async function onServer<Result>(address: string, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const sql = connect(address, { connections: 1, applicationName: 'mediamill command' })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
