import pg from 'pg'

declare module 'pg' {
  interface Client {
    /** The number of the server process, from the start of the connection. */
    readonly processID: number | null
    /** The settings that the client sends when it connects. `pg` allows only a few of PostgreSQL's in its options. */
    getStartupConf(): Record<string, string>
  }
}

/** How a process reaches PostgreSQL. */
export type Server = {
  host: string
  port: number
  user: string | undefined
  password: string | undefined
  database: string | undefined
  /** Settings of the session, sent when the connection starts: they also reach PostgreSQL through a pooler. */
  settings: Readonly<Record<string, string>>
  connectTimeoutMs: number
}

const KEEP_ALIVE_MS = 60_000

const INT8_ARRAY = 1016

/** The types whose values `pg` would return in another form. */
const TYPES = new pg.TypeOverrides()
const { INT8, DATE, TIMESTAMP, TIMESTAMPTZ } = pg.types.builtins
// `pg` returns text. Our ids and amounts are below 2^53.
TYPES.setTypeParser(INT8, Number)
TYPES.setTypeParser(INT8_ARRAY, (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))
// `pg` parses a date as midnight of this machine's time zone.
for (const type of [DATE, TIMESTAMP, TIMESTAMPTZ]) TYPES.setTypeParser(type, (text: string) => new Date(text))

/** A connection of `pg` that sends our settings. */
export class Client extends pg.Client {
  readonly #settings: Readonly<Record<string, string>>

  constructor({ settings, connectTimeoutMs, ...server }: Server, ssl: pg.ClientConfig['ssl']) {
    super({
      ...server,
      ssl,
      types: TYPES,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: connectTimeoutMs,
    })
    this.#settings = settings
    // A lost connection fails its statement too. Without a listener the event would end the process.
    this.on('error', () => undefined)
  }

  override getStartupConf(): Record<string, string> {
    return { ...super.getStartupConf(), ...this.#settings }
  }
}
