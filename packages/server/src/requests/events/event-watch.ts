import type { AccountId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../../db/connection/connect.ts'
import { listEventCounts } from '../../db/events/account-events.ts'

/** How often the accounts whose events are waited for are looked at, all in one statement. */
const LOOK_MS = 100

type Waiter = { after: number; resolve: (isThere: boolean) => void }

/**
 * Waits for events of accounts on behalf of calls (rulings 16).
 *
 * A wait holds no connection: while any call waits, one statement every 100 ms reads how many events each account has
 * had, so it works behind a pooler too.
 */
export class EventWatch implements Disposable {
  readonly #sql: Sql
  readonly #waiters = new Map<AccountId, Set<Waiter>>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Calls that wait now. */
  get size(): number {
    let size = 0
    for (const waiters of this.#waiters.values()) size += waiters.size
    return size
  }

  /** Resolves to whether the account has an event behind the place `after`: to `false` once `signal` aborts or this closes. */
  async wait(accountId: AccountId, after: number, signal: AbortSignal): Promise<boolean> {
    if (this.#isClosed || signal.aborted) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiters = this.#waiters.get(accountId) ?? new Set<Waiter>()
    const waiter = { after, resolve }
    this.#waiters.set(accountId, waiters.add(waiter))
    const giveUp = () => resolve(false)
    signal.addEventListener('abort', giveUp, { once: true })
    this.#schedule()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#waiters.get(accountId) === waiters) this.#waiters.delete(accountId)
    }
  }

  /** Answers all who wait at once, and everyone who comes after. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const waiters of this.#waiters.values()) for (const { resolve } of waiters) resolve(false)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#waiters.size === 0) return
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS)
  }

  async #look(): Promise<void> {
    try {
      for (const { accountId, count } of await listEventCounts(this.#sql, [...this.#waiters.keys()])) {
        for (const { after, resolve } of this.#waiters.get(accountId as AccountId) ?? [])
          if (count > after) resolve(true)
      }
    } catch {
      // The database is away: the next look comes by itself, and every wait has its own end.
    } finally {
      this.#timer = undefined
      this.#schedule()
    }
  }
}
