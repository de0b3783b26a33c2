import { hostOf, withoutAttributes } from './address.ts'
import type { Server } from './client.ts'
import type { Sql } from './pool.ts'
import { openPool } from './pool.ts'
import { isPooled, withoutMark } from './pooler.ts'
import { tlsOf, withoutTls } from './tls.ts'

export type { Reserved, Runner, Sql } from './pool.ts'

type ConnectOptions = {
  connections: number
  applicationName: string
  /** Whether commits wait for the disk. Default: true. If false, `flushCommits` can wait for the disk later. */
  waitsForDisk?: boolean
  patient?: true
  onFailure?: (error: unknown) => void
}

const CONNECT_TIMEOUT_MS = 5_000

/** Opens a pool. A pooler gets no session settings and no prepared statements (docs/notes/database.md). */
export function connect(databaseUrl: string, options: ConnectOptions): Sql {
  const pooled = isPooled(databaseUrl)
  const server = serverOf(databaseUrl)
  const settings = {
    application_name: options.applicationName,
    TimeZone: 'UTC',
    ...(!pooled && sessionSettings(options)),
    ...server.settings,
  }
  return openPool({
    server: { ...server, settings },
    tls: server.host.startsWith('/') ? false : (tlsOf(databaseUrl) ?? false),
    connections: options.connections,
    prepares: !pooled,
    onFailure: options.onFailure,
  })
}

const sessionSettings = (options: ConnectOptions) => ({
  statement_timeout: options.patient === true ? '0' : '30000',
  // Planning a long statement takes longer than running it, and custom plans are not better.
  plan_cache_mode: 'force_generic_plan',
  ...(options.waitsForDisk === false && { synchronous_commit: 'off' }),
})

function serverOf(databaseUrl: string): Server {
  const address = withoutTls(withoutAttributes(withoutMark(databaseUrl)))
  const { username, password, port, pathname, searchParams } = new URL(address)
  const { host, connect_timeout: seconds, ...settings } = Object.fromEntries(searchParams)
  const part = (text: string) => (text === '' ? undefined : decodeURIComponent(text))
  return {
    host: host?.startsWith('/') === true ? host : hostOf(address),
    port: port === '' ? 5432 : Number(port),
    user: part(username),
    password: part(password),
    database: part(pathname.slice(1)),
    settings,
    connectTimeoutMs: seconds === undefined ? CONNECT_TIMEOUT_MS : Number(seconds) * 1000,
  }
}
