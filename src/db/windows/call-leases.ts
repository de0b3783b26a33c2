/** The entry of a caller's minute that calls were counted in ahead. */
type Window = { callerId: number; livemode: boolean; until: number }

/** Calls that were counted ahead and did not come. */
export type UnusedCalls = { count: number; window: Window }

/** What a statement counted ahead. `used` are the calls of the minute before those. */
type Counted = {
  left: number
  used: number
  limit: number
  freeInMs: number | null
  lastsMs: number
  askedAt: number
}

/** Calls of a lease. `putBack` says that they were not let in. */
export type TakenCalls = { used: number; limit: number; freeInMs: number | null; putBack: () => void }

type Key = { bucket: number; count: number; before: number; lease?: (Counted & { window: Window }) | undefined }

const BUCKET_MS = 250
/** Fewer calls of a key than that in a quarter of a second are each counted by themselves. */
const FEWEST = 4
const MOST = 64
/** Keys whose calls are counted here at once; the oldest is forgotten, and what it has counted ahead leaves with its minute. */
const MOST_KEYS = 1_000

/**
 * Remembers which calls of busy keys were counted ahead. So not each has to be written (docs/decisions/0085).
 *
 * A lease lasts to the end of a quarter of a second at most, by the clock of the database: its calls are counted there, so
 * that none leaves the minute too early. Only calls are leased: key, account and limit are read for each.
 */
export class CallLeases {
  readonly #keys = new Map<string, Key>()
  readonly now: () => number

  constructor(clock = () => performance.now()) {
    this.now = clock
  }

  /** Takes calls out of a lease; `undefined` when there are not so many. */
  take(hash: string, count: number): TakenCalls | undefined {
    const key = this.#keys.get(hash)
    const lease = key?.lease
    const now = this.now()
    if (key === undefined || lease === undefined || lease.left < count) return undefined
    // Counted from before the statement was sent, so it never lasts longer than by the database's clock.
    if (now - lease.askedAt > lease.lastsMs) return undefined
    const { used, limit } = lease
    lease.left -= count
    lease.used += count
    this.#note(key, count, now)
    const putBack = () => {
      lease.left += count
      lease.used -= count
    }
    const freeInMs = lease.freeInMs === null ? null : lease.freeInMs - (now - lease.askedAt)
    return { used, limit, freeInMs, putBack }
  }

  /** Ends a lease, before calls are counted again. Those that did not come are to be returned. */
  end(hash: string): UnusedCalls | undefined {
    const key = this.#keys.get(hash)
    const lease = key?.lease
    if (key === undefined || lease === undefined) return undefined
    key.lease = undefined
    return lease.left > 0 ? { count: lease.left, window: lease.window } : undefined
  }

  /** How many calls are to be counted ahead: as many as came of late, and none of a key that seldom calls. */
  ahead(hash: string, count: number): number {
    const key = this.#keys.get(hash)
    if (key === undefined) return 0
    this.#turn(key, this.now())
    const recent = Math.max(key.before, key.count)
    return recent < FEWEST ? 0 : Math.min(MOST, Math.max(0, recent - count))
  }

  /** Notes calls of a valid key that were counted, and what was counted ahead. */
  begin(hash: string, count: number, counted: Counted, window: Window): void {
    const now = this.now()
    const key = this.#keys.get(hash) ?? { bucket: 0, count: 0, before: 0 }
    this.#note(key, count, now)
    key.lease = counted.left > 0 ? { ...counted, window } : undefined
    this.#keys.set(hash, key)
    const [oldest] = this.#keys.keys()
    if (this.#keys.size > MOST_KEYS && oldest !== undefined) this.#keys.delete(oldest)
  }

  #note(key: Key, count: number, now: number): void {
    this.#turn(key, now)
    key.count += count
  }

  #turn(key: Key, now: number): void {
    const bucket = Math.floor(now / BUCKET_MS)
    if (bucket === key.bucket) return
    key.before = bucket === key.bucket + 1 ? key.count : 0
    key.count = 0
    key.bucket = bucket
  }
}
