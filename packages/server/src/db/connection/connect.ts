import type Postgres from 'postgres'
import { ARRAYS } from './arrays.ts'
import { postgres } from './driver.ts'
import { databasePlaces, hostOf } from './places.ts'
import { isPooled, throughPooler, withoutMark } from './pooler.ts'
import type { Look } from './primary.ts'
import { primaryOf } from './primary.ts'
import { isTlsError, tlsOf, withoutTls } from './tls.ts'

/** The pool of connections that a process shares. */
export type Sql = Postgres.Sql<{ bigint: number }>

/** The runner of one statement: the pool, or a transaction of it. */
export type Runner = Postgres.ISql<{ bigint: number }>

export type ConnectOptions = {
  connections: number
  applicationName: string
  /** Whether a statement's answer waits until it is on disk (the default); if not, `flushCommits` makes up for it. */
  waitsForDisk?: boolean
  /** Whether a statement may take as long as it needs: half a minute is the most for others. */
  patient?: true
}

/** A session keeps 5 to 9 MB of PostgreSQL's memory, with the plans of its statements; another one is open in milliseconds. */
const IDLE_S = 60

/**
 * Opens a pool. 64-bit integers come back as numbers: every id and amount is below 2^53.
 *
 * `json` columns keep their text as it was sent; values that go in are written with `sql.json`. Through a pooler each
 * transaction may run on another session, so nothing is kept on one: no settings, no prepared statements
 * (docs/decisions/0013).
 */
export function connect(databaseUrl: string, options: ConnectOptions): Sql {
  const pooled = isPooled(databaseUrl)
  const places = databasePlaces(withoutMark(databaseUrl))
  if (places === undefined) throw new TypeError('the address of the database is none')
  const { addresses, mayBeStandby } = places
  const { address, socket } = splitAddress(addresses[0])
  const primary = mayBeStandby ? primaryOf(addresses, openLook) : undefined
  const ssl = socket === undefined ? tlsOf(addresses[0], addresses.map(hostOf)) : false
  return postgres(address, {
    ...(socket !== undefined && { host: socket }),
    ...(ssl !== undefined && { ssl }),
    ...(primary !== undefined && { socket: () => primary.open() }),
    max: options.connections,
    idle_timeout: IDLE_S,
    connect_timeout: 5,
    // Short, so that the first call after the database is back finds it.
    backoff: () => 0.5,
    onnotice: () => undefined,
    prepare: !pooled,
    fetch_types: false,
    connection: {
      application_name: options.applicationName,
      TimeZone: 'UTC',
      ...(!pooled && sessionSettings(options)),
    },
    types: {
      ...ARRAYS,
      bigint: {
        to: 20,
        from: [20],
        serialize: (value: number) => String(value),
        parse: (text: string) => Number(text),
      },
    },
  })
}

/** As text, although the driver's types expect a number: postgres.js does not send a startup value that is falsy. */
const NO_LIMIT = '0' as unknown as number

const sessionSettings = (options: ConnectOptions) => ({
  statement_timeout: options.patient === true ? NO_LIMIT : 30_000,
  // Planning our long statements anew for each call costs more than running them; none gains by its values.
  plan_cache_mode: 'force_generic_plan',
  ...(options.waitsForDisk === false && { synchronous_commit: 'off' }),
})

/** `?host=/folder` names a socket; postgres.js takes that as an option, and anything in the query as a setting. */
function splitAddress(databaseUrl: string) {
  const url = new URL(withoutTls(databaseUrl))
  const host = url.searchParams.get('host')
  url.searchParams.delete('host')
  return { address: url.href, socket: host?.startsWith('/') ? host : undefined }
}

/** Opens a look at one server. Its connection stays open between questions. */
export function openLook(address: string): Look {
  const sql = connect(throughPooler(address), { connections: 1, applicationName: 'mediamill look' })
  return {
    async ask() {
      const [row] = await sql<{ file: string | null }[]>`
        select case when current_setting('transaction_read_only') = 'off' then pg_walfile_name(pg_current_wal_lsn()) end as file`
      // A file of the log is named by its timeline, in eight hexadecimal digits, and its place.
      return row === undefined || row.file === null ? undefined : Number.parseInt(row.file.slice(0, 8), 16)
    },
    end: () => sql.end({ timeout: 0 }),
  }
}

/** PostgreSQL is there but has no time yet: starting, stopping, without a free place for one more, or a standby still. */
const PASSING = new Set(['57P03', '57P02', '57P01', '53300', '25006'])

/** What PgBouncer says when it has no session to lend, or lost one; PostgreSQL adds the routine that complains. */
const isPoolerAway = ({ code, routine }: Postgres.PostgresError) => code === '08P01' && routine === undefined

/** Tells whether an error says that the database is away and may return. What was asked may be asked again. */
export function isAway(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error && 'code' in error)) return false
  if (error instanceof postgres.PostgresError) return PASSING.has(error.code) || isPoolerAway(error)
  if (isTlsError(error)) return false
  return !String(error.code).startsWith('ERR_') && error.code !== 'CONNECTION_ENDED'
}

/** Tells whether the error is PostgreSQL's own answer, with this SQLSTATE if one is given. */
export function isDatabaseError(error: unknown, state?: string): boolean {
  return error instanceof postgres.PostgresError && (state === undefined || error.code === state)
}
