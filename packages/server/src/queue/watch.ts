/** How often one statement polls for all waiting calls. Notifications usually arrive earlier. */
const POLL_MS = 500

type Schedule = (poll: () => void) => () => void

export function pollAfter(pollMs: number): Schedule {
  return (poll) => {
    const timer = setTimeout(poll, pollMs)
    return () => clearTimeout(timer)
  }
}

export type WatchOptions<Key, State, Row> = {
  /** Reads the rows that differ from the state `previous`. A key can occur several times, with different `previous`. */
  read: (waits: readonly { key: Key; previous: State }[]) => Promise<readonly Row[]>
  keyOf: (row: Row) => Key
  hasChanged: (row: Row, previous: State) => boolean
  onError?: (error: unknown) => void
  schedule?: Schedule
}

type Waiter<State, Row> = { previous: State; resolve: (row: Row | undefined) => void }

/** Waits for row changes. One `read` serves all waiting calls, so a waiting call occupies no database connection. */
export class Watch<Key, State, Row> implements Disposable {
  readonly #options: WatchOptions<Key, State, Row>
  readonly #schedule: Schedule
  readonly #waiters = new Map<Key, Set<Waiter<State, Row>>>()
  readonly #due = new Set<Key>()
  #cancelPoll: (() => void) | undefined
  #isReading = false
  #isClosed = false

  constructor(options: WatchOptions<Key, State, Row>) {
    this.#options = options
    this.#schedule = options.schedule ?? pollAfter(POLL_MS)
  }

  get size(): number {
    let size = 0
    for (const waiters of this.#waiters.values()) size += waiters.size
    return size
  }

  /** Resolves to the row once it differs from `previous`, or to `undefined` if `signal` aborts or the watch closes. */
  async wait(key: Key, previous: State, signal: AbortSignal): Promise<Row | undefined> {
    if (this.#isClosed || signal.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<Row | undefined>()
    const waiters = this.#waiters.get(key) ?? new Set()
    const waiter = { previous, resolve }
    this.#waiters.set(key, waiters.add(waiter))
    const stop = () => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    this.notify([key])
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', stop)
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#waiters.get(key) === waiters) this.#waiters.delete(key)
    }
  }

  notify(keys: Iterable<Key>): void {
    for (const key of keys) if (this.#waiters.has(key)) this.#due.add(key)
    if (this.#due.size > 0 && !this.#isReading && !this.#isClosed) void this.#readDue()
  }

  close(): void {
    this.#isClosed = true
    this.#cancelPoll?.()
    for (const waiters of this.#waiters.values()) for (const { resolve } of waiters) resolve(undefined)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  async #readDue(): Promise<void> {
    this.#isReading = true
    try {
      while (this.#due.size > 0) {
        const waits = this.#takeDue()
        if (waits.length === 0) continue
        for (const row of await this.#options.read(waits)) this.#resolve(row)
      }
    } catch (error) {
      // The next poll reads again. Every waiting call has its own timeout.
      this.#options.onError?.(error)
    } finally {
      this.#isReading = false
      // Keep a scheduled poll. Otherwise, frequent notifications for some keys would delay the poll of the other keys.
      if (!this.#isClosed && this.#waiters.size > 0) this.#cancelPoll ??= this.#schedule(() => this.#poll())
    }
  }

  #poll(): void {
    this.#cancelPoll = undefined
    this.notify(this.#waiters.keys())
  }

  #takeDue(): { key: Key; previous: State }[] {
    const keys = [...this.#due]
    this.#due.clear()
    return keys.flatMap((key) => {
      const waiters = [...(this.#waiters.get(key) ?? [])]
      const distinct = new Map(waiters.map(({ previous }) => [JSON.stringify(previous), previous]))
      return [...distinct.values()].map((previous) => ({ key, previous }))
    })
  }

  #resolve(row: Row): void {
    for (const { previous, resolve } of this.#waiters.get(this.#options.keyOf(row)) ?? []) {
      if (this.#options.hasChanged(row, previous)) resolve(row)
    }
  }
}
