import type { Sql } from '../db/connection/connect.ts'
import { listenToEnds } from '../db/connection/notices.ts'
import { listEnded } from '../db/requests.ts'
import type { RequestId } from '../domain/ids.ts'
import type { FinalRequest } from '../domain/request.ts'
import { toFinalRequest } from './record.ts'

/** How often the requests that calls wait for are looked at, all in one statement. */
const LOOK_MS = 100

type Waiter = (request: FinalRequest | undefined) => void

/**
 * Waits for the ends of requests on behalf of calls (rulings 16).
 *
 * A wait holds no connection: while any call waits, one statement every 100 ms asks for all of them, so it works behind
 * a pooler too. Where notices are heard, an end is looked for at once.
 */
export class RequestWatch implements AsyncDisposable {
  readonly #sql: Sql
  readonly #waiters = new Map<RequestId, Set<Waiter>>()
  #listening: Promise<{ stop: () => Promise<void> }> | undefined
  #timer: NodeJS.Timeout | undefined
  #looking = false
  #heard = new Set<RequestId>()
  #isClosed = false

  /** `notices` is the pool that notices are heard on; without one, ends are found by looking alone. */
  constructor(sql: Sql, notices?: Sql) {
    this.#sql = sql
    this.#listening = notices && listenToEnds(notices, (ids) => this.#hear(ids as RequestId[]))
    this.#listening?.catch(() => undefined)
  }

  /** Calls that wait now. */
  get size(): number {
    let size = 0
    for (const waiters of this.#waiters.values()) size += waiters.size
    return size
  }

  /**
   * Resolves to the request when it has ended, or to `undefined` once `signal` aborts or this watch closes.
   *
   * Whoever hangs up loses an answer and nothing else.
   */
  async wait(id: RequestId, signal: AbortSignal): Promise<FinalRequest | undefined> {
    if (this.#isClosed || signal.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<FinalRequest | undefined>()
    const waiters = this.#waiters.get(id) ?? new Set<Waiter>()
    this.#waiters.set(id, waiters.add(resolve))
    const giveUp = () => resolve(undefined)
    signal.addEventListener('abort', giveUp, { once: true })
    this.#schedule()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
      waiters.delete(resolve)
      if (waiters.size === 0 && this.#waiters.get(id) === waiters) this.#waiters.delete(id)
    }
  }

  /** Answers all who wait at once, and everyone who comes after. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const waiters of this.#waiters.values()) for (const resolve of waiters) resolve(undefined)
  }

  /** Closes, and stops hearing of notices. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    const listening = await this.#listening?.catch(() => undefined)
    await listening?.stop()
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#waiters.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#look([...this.#waiters.keys()])
    }, LOOK_MS)
  }

  #hear(ids: RequestId[]): void {
    for (const id of ids) if (this.#waiters.has(id)) this.#heard.add(id)
    if (this.#heard.size > 0) void this.#look([])
  }

  /** Looks at these requests and at those heard of; one look at a time, and what is heard meanwhile is in the next. */
  async #look(ids: RequestId[]): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      for (let next = this.#take(ids); next.length > 0; next = this.#take([])) await this.#deliver(next)
    } catch {
      // The database is away: the next look comes by itself, and every wait has its own end.
    } finally {
      this.#looking = false
      this.#schedule()
    }
  }

  #take(ids: RequestId[]): RequestId[] {
    const wanted = new Set([...ids, ...this.#heard])
    this.#heard = new Set()
    return [...wanted]
  }

  async #deliver(ids: RequestId[]): Promise<void> {
    for (const row of await listEnded(this.#sql, ids)) {
      const request = toFinalRequest(row)
      for (const resolve of this.#waiters.get(request.id) ?? []) resolve(request)
    }
  }
}
