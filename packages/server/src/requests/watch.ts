import type { RequestId } from '@mediamill/contract/domain/ids'
import type { FinalRequest, MediaRequest } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import { listenToEnds } from '../db/connection/notices.ts'
import type { RequestRow } from '../db/requests.ts'
import { listChanged, markAwaited } from '../db/requests.ts'
import { toFinalRequest, toRequest } from './record.ts'

/** How often the requests that calls wait for are looked at, all in one statement. */
const LOOK_MS = 100
/** The same where their ends are heard of, and only a lost notice is left to be found. */
const HEARING_LOOK_MS = 500

/** Ends heard of that nobody waited for: a call may begin to wait a moment after the end of its request. */
const MOST_RECENT = 1_000

/** The state of a request as a call has seen it. The call waits until the state is another. */
export type Seen = Pick<RequestRow, 'status' | 'progress'>

/** Without `seen` it waits for the end alone. */
type Waiter = { seen: Seen | undefined; resolve: (row: RequestRow | undefined) => void }

/**
 * Waits for requests on behalf of calls (rulings 16).
 *
 * A wait holds no connection: while any call waits, one statement every 100 ms asks for all of them, so it works behind
 * a pooler too. Where notices are heard an end is looked for at once, and calls that wait for ends alone are asked for
 * every 500 ms, should a notice be lost.
 */
export class RequestWatch implements AsyncDisposable {
  readonly #sql: Sql
  readonly #waiters = new Map<RequestId, Set<Waiter>>()
  readonly #recent = new Set<RequestId>()
  #listening: Promise<{ stop: () => Promise<void> }> | undefined
  #timer: NodeJS.Timeout | undefined
  #hears = false
  #isPatient = false
  #looking = false
  #heard = new Set<RequestId>()
  #isClosed = false

  /**
   * `notices` is the pool that notices are heard on; without one, ends are found by looking alone. `openEnd` reads how a
   * request ended in the notice of it; without it, or where it cannot, that is looked for.
   */
  constructor(sql: Sql, notices?: Sql, openEnd?: (id: number, sealed: string) => RequestRow | undefined) {
    this.#sql = sql
    this.#listening =
      notices &&
      listenToEnds(notices, (ids, sealed) => {
        const [id] = ids as RequestId[]
        if (id !== undefined && sealed !== undefined && this.#waiters.has(id)) this.#answer(openEnd?.(id, sealed))
        this.#hear(ids as RequestId[])
      })
    this.#listening?.then(() => (this.#hears = true)).catch(() => undefined)
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
   * Whoever hangs up loses an answer and nothing else. `isTold` says that the end will be told of, because the request
   * was accepted as one that is waited for; if not, it is marked now.
   */
  async wait(id: RequestId, signal: AbortSignal, isTold = true): Promise<FinalRequest | undefined> {
    if (!isTold) void this.#mark(id)
    const row = await this.#next(id, undefined, signal)
    return row && toFinalRequest(row)
  }

  /** Resolves as `wait` does, but already to the first request that is not as it was `seen`. */
  async waitForChange(id: RequestId, seen: Seen, signal: AbortSignal): Promise<MediaRequest | undefined> {
    const row = await this.#next(id, seen, signal)
    return row && toRequest(row)
  }

  async #next(id: RequestId, seen: Seen | undefined, signal: AbortSignal): Promise<RequestRow | undefined> {
    if (this.#isClosed || signal.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<RequestRow | undefined>()
    const waiters = this.#waiters.get(id) ?? new Set<Waiter>()
    const waiter = { seen, resolve }
    this.#waiters.set(id, waiters.add(waiter))
    const giveUp = () => resolve(undefined)
    signal.addEventListener('abort', giveUp, { once: true })
    if (this.#recent.has(id)) this.#heard.add(id)
    if (this.#heard.has(id)) void this.#look([])
    if (seen !== undefined) this.#hasten()
    this.#schedule()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#waiters.get(id) === waiters) this.#waiters.delete(id)
    }
  }

  /** Answers all who wait at once, and everyone who comes after. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const waiters of this.#waiters.values()) for (const { resolve } of waiters) resolve(undefined)
  }

  /** Closes, and stops hearing of notices. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    const listening = await this.#listening?.catch(() => undefined)
    await listening?.stop()
  }

  /** An end before the mark is not told of, so it is looked for then. */
  async #mark(id: RequestId): Promise<void> {
    try {
      if (!(await markAwaited(this.#sql, id))) this.#hear([id])
    } catch {
      // The database is away: the end is found by looking.
    }
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#waiters.size === 0) return
    const pause = this.#pause()
    this.#isPatient = pause !== LOOK_MS
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#look([...this.#waiters.keys()])
    }, pause)
  }

  /** Forgets a look that comes too late for somebody who waits for a change. */
  #hasten(): void {
    if (!this.#isPatient) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** A change that is no end is told of by nobody: whoever waits for one has all looked for it often. */
  #pause(): number {
    if (!this.#hears) return LOOK_MS
    for (const waiters of this.#waiters.values()) for (const { seen } of waiters) if (seen !== undefined) return LOOK_MS
    return HEARING_LOOK_MS
  }

  /** Answers all who wait for a request that a notice tells the end of: nobody has to look for it any more. */
  #answer(row: RequestRow | undefined): void {
    if (row === undefined || row.completedAt === null) return
    this.#resolve(row)
    this.#waiters.delete(row.id as RequestId)
  }

  #hear(ids: RequestId[]): void {
    for (const id of ids) {
      if (this.#waiters.has(id)) this.#heard.add(id)
      this.#recent.add(id)
    }
    for (const id of this.#recent) {
      if (this.#recent.size <= MOST_RECENT) break
      this.#recent.delete(id)
    }
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
    const asked = ids.flatMap((id) => seenOf(this.#waiters.get(id)).map((seen) => ({ id, seen })))
    if (asked.length === 0) return
    for (const row of await listChanged(this.#sql, asked)) this.#resolve(row)
  }

  /** Answers those who wait for what a row says. */
  #resolve(row: RequestRow): void {
    for (const { seen, resolve } of this.#waiters.get(row.id as RequestId) ?? []) {
      if (row.completedAt !== null || (seen !== undefined && isNews(row, seen))) resolve(row)
    }
  }
}

const isNews = (row: RequestRow, seen: Seen) => row.status !== seen.status || row.progress !== seen.progress

/** What those who wait have seen, each once. */
function seenOf(waiters: ReadonlySet<Waiter> = new Set()): (Seen | undefined)[] {
  const seen = new Map([...waiters].map((waiter) => [`${waiter.seen?.status} ${waiter.seen?.progress}`, waiter.seen]))
  return [...seen.values()]
}
