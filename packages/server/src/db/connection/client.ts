import pg from 'pg'

declare module 'pg' {
  interface Client {
    readonly processID: number | null
    /** Returns the parameters that a new connection sends. The original method of `pg` allows only a few parameters. */
    getStartupConf(): Record<string, string>
  }
}

export type Server = {
  host: string
  port: number
  user: string | undefined
  password: string | undefined
  database: string | undefined
  settings: Readonly<Record<string, string>>
  connectTimeoutMs: number
}

const KEEP_ALIVE_MS = 60_000

const INT8_ARRAY = 1016

const TYPES = new pg.TypeOverrides()
const { INT8, DATE, TIMESTAMP, TIMESTAMPTZ } = pg.types.builtins
// `pg` returns 64-bit integers as text. Ids and amounts are below 2^53, so they can be numbers.
TYPES.setTypeParser(INT8, Number)
TYPES.setTypeParser(INT8_ARRAY, (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))
// `pg` would parse a date as midnight in the local time zone.
for (const type of [DATE, TIMESTAMP, TIMESTAMPTZ]) TYPES.setTypeParser(type, (text: string) => new Date(text))

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
    // The running statement reports this error too. Without a listener, the error would end the process.
    this.on('error', () => undefined)
  }

  override getStartupConf(): Record<string, string> {
    return { ...super.getStartupConf(), ...this.#settings }
  }
}
