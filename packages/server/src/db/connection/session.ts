import type pg from 'pg'
import { isAway, isDatabaseError, withCode } from './errors.ts'
import type { Composed, Rows, Statement } from './statement.ts'
import { compose } from './statement.ts'

export type Prepared = Map<string, string>

const MAX_PREPARED = 500

/** Routines of PostgreSQL that reject a prepared statement because a table changed or the statement is gone. */
const STALE = new Set(['RevalidateCachedQuery', 'FetchPreparedStatement'])

const FAILED_TRANSACTION = '25P02'

export class Session {
  readonly #client: pg.PoolClient
  readonly #prepared: Prepared | undefined
  readonly #onFailure: ((error: unknown) => void) | undefined
  #last: Promise<unknown> = Promise.resolve()
  #isBroken = false
  #failure: unknown

  /** `prepared` must be `undefined` with a pooler, because each statement may run on another server connection. */
  constructor(client: pg.PoolClient, prepared: Prepared | undefined, onFailure?: (error: unknown) => void) {
    this.#client = client
    this.#onFailure = onFailure
    this.#prepared = prepared
  }

  get processId(): number | null {
    return this.#client.processID
  }

  send<Row extends readonly object[]>(statement: Statement<Row>): Promise<Rows<Row>> {
    const sent = this.#last.then(async () => {
      const composed = compose(statement)
      const { rows, rowCount } = await this.#run(statement.isText ? composed : this.#named(composed))
      // `count` is not enumerable, so that tests can compare the rows with an array.
      return Object.defineProperty(rows, 'count', { value: rowCount ?? 0 }) as unknown as Rows<Row>
    })
    this.#last = sent.catch(() => undefined)
    return sent
  }

  /** Runs `work` in a transaction. Rolls back if a statement fails, even if `work` catches the error. */
  async transact<Result>(work: () => PromiseLike<Result> | Result): Promise<Result> {
    await this.#run({ text: 'begin' })
    this.#failure = undefined
    try {
      const result = await work()
      await this.#last
      if (this.#failure !== undefined) throw this.#failure
      await this.#run({ text: 'commit' })
      return result
    } catch (error) {
      await this.#last
      if (!this.#isBroken) await this.#run({ text: 'rollback' }).catch(() => undefined)
      throw isDatabaseError(error, FAILED_TRANSACTION) ? this.#failure : error
    }
  }

  release(): void {
    const isUsedUp = (this.#prepared?.size ?? 0) > MAX_PREPARED
    this.#client.release(this.#isBroken || isUsedUp || this.#isInTransaction)
  }

  /** Gives a statement a name. For a statement without a name, PostgreSQL makes a new plan each time. */
  #named(composed: Composed): pg.QueryConfig {
    if (this.#prepared === undefined) return composed
    let name = this.#prepared.get(composed.text)
    if (name === undefined) {
      name = `s${nextName++}`
      this.#prepared.set(composed.text, name)
    }
    return { ...composed, name }
  }

  async #run(query: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#query(query).catch((error: unknown) => {
        // A failed transaction accepts no more statements, so the statement cannot be repeated.
        if (!isStale(error) || this.#prepared?.delete(query.text) !== true || this.#isInTransaction) throw error
        return this.#query(this.#named({ text: query.text, values: query.values ?? [] }))
      })
    } catch (thrown) {
      const error = withCode(thrown)
      this.#isBroken ||= !isDatabaseError(error) || isAway(error)
      this.#failure ??= error
      this.#onFailure?.(error)
      throw error
    }
  }

  async #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    // The promises of `pg` keep each statement and its rows alive until the next full garbage collection.
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    this.#client.query(query, (error: Error | null, result) => (error === null ? resolve(result) : reject(error)))
    const result = await promise
    return Array.isArray(result) ? result.at(-1) : result
  }

  get #isInTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I'
  }
}

let nextName = 0

const isStale = (error: unknown) => isDatabaseError(error) && STALE.has(error.routine ?? '')
