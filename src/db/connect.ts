import postgres from 'postgres'

/** The pool of connections that a process shares. */
export type Sql = postgres.Sql<{ bigint: number }>

/** What runs one statement: the pool, or a transaction of it. */
export type Runner = postgres.ISql<{ bigint: number }>

export type ConnectOptions = {
  connections: number
  applicationName: string
  /** Whether a statement's answer waits until it is on disk (the default); if not, `flushCommits` makes up for it. */
  waitsForDisk?: boolean
}

/**
 * Opens a pool. 64-bit integers come back as numbers: every id and amount is below 2^53.
 *
 * `json` columns keep their text as it was sent; values that go in are written with `sql.json`.
 */
export function connect(databaseUrl: string, options: ConnectOptions): Sql {
  const { address, socket } = splitSocket(databaseUrl)
  return postgres(address, {
    ...socket,
    max: options.connections,
    idle_timeout: 0,
    connect_timeout: 5,
    // Short, so that the first call after the database is back finds it.
    backoff: () => 0.5,
    onnotice: () => undefined,
    connection: {
      application_name: options.applicationName,
      TimeZone: 'UTC',
      statement_timeout: 30_000,
      // Planning our long statements anew for each call costs more than running them; none gains by its values.
      plan_cache_mode: 'force_generic_plan',
      ...(options.waitsForDisk === false && { synchronous_commit: 'off' }),
    },
    types: {
      bigint: {
        to: 20,
        from: [20],
        serialize: (value: number) => String(value),
        parse: (text: string) => Number(text),
      },
    },
  })
}

/** `?host=/folder` names a socket; postgres.js takes that as an option, and anything in the query as a setting. */
function splitSocket(databaseUrl: string): { address: string; socket: { host: string } | Record<string, never> } {
  const url = new URL(databaseUrl)
  const host = url.searchParams.get('host')
  url.searchParams.delete('host')
  return { address: url.href, socket: host?.startsWith('/') ? { host } : {} }
}

/** PostgreSQL is there but has no time yet: starting, stopping, or without a free place for one more. */
const PASSING = new Set(['57P03', '57P02', '57P01', '53300'])

/** Whether the error says that the database is away and may come back: what was asked may be asked again. */
export function isAway(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error && 'code' in error)) return false
  if (error instanceof postgres.PostgresError) return PASSING.has(error.code)
  return !String(error.code).startsWith('ERR_') && error.code !== 'CONNECTION_ENDED'
}

/** Whether the error is PostgreSQL's own answer, with this SQLSTATE. */
export function isDatabaseError(error: unknown, state?: string): boolean {
  return error instanceof postgres.PostgresError && (state === undefined || error.code === state)
}
