import { once } from 'node:events'
import pg from 'pg'
import { withTimeout } from '../../lib/time/with-timeout.ts'
import type { Server } from './client.ts'
import { Client } from './client.ts'
import { isTlsMissing, poolEnded, withCode } from './errors.ts'
import { Listener } from './listener.ts'
import type { Prepared } from './session.ts'
import { Session } from './session.ts'
import type { Send, Value } from './statement.ts'
import { Fragment, Statement } from './statement.ts'
import type { TlsSetting } from './tls.ts'

type Row = Record<string, unknown>

export interface Runner {
  <Rows extends readonly object[] = Row[]>(
    strings: TemplateStringsArray,
    ...values: readonly (Value | Fragment)[]
  ): Statement<Rows>
  (identifier: string): Fragment
  /** Creates a fragment or an unprepared statement from SQL text. Never pass a client's input. */
  unsafe: <Rows extends readonly object[] = Row[]>(text: string) => Statement<Rows>
}

export interface Reserved extends Runner {
  readonly processId: number | null
  release: () => void
}

export interface Sql extends Runner, AsyncDisposable {
  begin: <Result>(work: (tx: Runner) => PromiseLike<Result> | Result) => Promise<Result>
  reserve: () => Promise<Reserved>
  listen: Listener['listen']
  /** Waits up to `timeout` seconds for running statements, and then closes all connections. */
  end: (options?: { timeout: number }) => Promise<void>
}

type PoolOptions = {
  server: Server
  tls: TlsSetting
  connections: number
  prepares: boolean
  onFailure?: ((error: unknown) => void) | undefined
}

const IDLE_MS = 60_000
const MAX_LIFETIME_S = 3_600
const END_S = 5

export function openPool(options: PoolOptions): Sql {
  const sessions = new Sessions(options)
  const send: Send = async (statement) => {
    const session = await sessions.take()
    try {
      return await session.send(statement)
    } finally {
      sessions.give(session)
    }
  }
  return Object.assign(runner(send), {
    async begin<Result>(work: (tx: Runner) => PromiseLike<Result> | Result): Promise<Result> {
      const session = await sessions.take()
      try {
        return await session.transact(() => work(runner((statement) => session.send(statement))))
      } finally {
        sessions.give(session)
      }
    },
    async reserve(): Promise<Reserved> {
      const session = await sessions.take()
      return Object.assign(
        runner((statement) => session.send(statement)),
        { processId: session.processId, release: () => sessions.give(session) },
      )
    },
    listen: sessions.listener.listen.bind(sessions.listener),
    end: ({ timeout } = { timeout: END_S }) => sessions.end(timeout * 1000),
    [Symbol.asyncDispose]: () => sessions.end(END_S * 1000),
  })
}

function runner(send: Send): Runner {
  function sql(identifier: string): Fragment
  function sql<Rows extends readonly object[]>(
    strings: TemplateStringsArray,
    ...values: readonly (Value | Fragment)[]
  ): Statement<Rows>
  function sql(strings: TemplateStringsArray | string, ...values: readonly (Value | Fragment)[]): Fragment {
    if (typeof strings === 'string') return new Fragment([pg.escapeIdentifier(strings)])
    return new Statement(send, strings, values)
  }
  return Object.assign(sql, {
    unsafe: <Rows extends readonly object[]>(text: string) => new Statement<Rows>(send, [text]),
  })
}

class Sessions {
  readonly listener: Listener
  readonly #pool: pg.Pool
  readonly #prepares: boolean
  readonly #prepared = new WeakMap<pg.ClientBase, Prepared>()
  readonly #clients = new Set<Client>()
  readonly #waiting = new Set<(error: unknown) => void>()
  readonly #prefersTls: boolean
  readonly #onFailure: PoolOptions['onFailure']
  #ssl: pg.ClientConfig['ssl']
  #inUse = 0
  #drained: PromiseWithResolvers<void> | undefined
  #ended: Promise<void> | undefined

  constructor({ server, tls, connections, prepares, onFailure }: PoolOptions) {
    this.#prepares = prepares
    this.#onFailure = onFailure
    this.#prefersTls = tls === 'prefer'
    this.#ssl = tls === 'prefer' ? { rejectUnauthorized: false } : tls
    const connected = (client: Client) => {
      this.#clients.add(client)
      client.once('end', () => this.#clients.delete(client))
    }
    const ssl = () => this.#ssl
    class PoolClient extends Client {
      constructor() {
        super(server, ssl())
        connected(this)
      }
    }
    this.#pool = new pg.Pool({
      Client: PoolClient,
      max: connections,
      idleTimeoutMillis: IDLE_MS,
      maxLifetimeSeconds: MAX_LIFETIME_S,
    })
    // `pg.Pool` reports that an idle connection was lost. It has already removed the connection.
    this.#pool.on('error', () => undefined)
    this.listener = new Listener(() => new PoolClient())
  }

  async take(): Promise<Session> {
    if (this.#ended !== undefined) throw poolEnded()
    this.#inUse += 1
    try {
      const client = await this.#connect()
      const prepared = this.#prepared.get(client) ?? new Map<string, string>()
      this.#prepared.set(client, prepared)
      return new Session(client, this.#prepares ? prepared : undefined, this.#onFailure)
    } catch (thrown) {
      this.#done()
      this.#onFailure?.(thrown)
      throw thrown
    }
  }

  give(session: Session): void {
    session.release()
    this.#done()
  }

  end(timeoutMs: number): Promise<void> {
    this.#ended ??= this.#end(timeoutMs)
    return this.#ended
  }

  async #end(timeoutMs: number): Promise<void> {
    await withTimeout(this.#close(), timeoutMs, () => undefined)
    for (const reject of this.#waiting) reject(poolEnded())
    this.#waiting.clear()
    for (const client of this.#clients) client.connection.stream.destroy()
  }

  async #close(): Promise<void> {
    if (this.#inUse > 0) await (this.#drained = Promise.withResolvers()).promise
    const closed = [...this.#clients].map((client) => once(client, 'end'))
    // `pg.Pool` does not wait until its connections are closed.
    await Promise.all([this.listener.end(), this.#pool.end(), ...closed])
  }

  #done(): void {
    this.#inUse -= 1
    if (this.#inUse === 0) this.#drained?.resolve()
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#checkOut()
    } catch (thrown) {
      const error = withCode(thrown)
      if (!this.#prefersTls || !isTlsMissing(error)) throw error
      this.#ssl = false
      return await this.#checkOut()
    }
  }

  /** Waits for a connection. Rejects if this pool ends, because `pg.Pool` would leave its callers waiting. */
  #checkOut(): Promise<pg.PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
    this.#waiting.add(reject)
    this.#pool.connect((error, client) => {
      if (!this.#waiting.delete(reject)) client?.release(true)
      else if (client === undefined) reject(error)
      else resolve(client)
    })
    return promise
  }
}
