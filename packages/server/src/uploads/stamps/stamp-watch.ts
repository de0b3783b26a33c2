import { randomBytes } from 'node:crypto'
import { STAMPS_AT_ONCE } from '@mediamill/contract/domain/drawn/stamp'
import type { Sql } from '../../db/connection/connect.ts'
import { listenToStampEnds } from '../../db/connection/notices.ts'
import type { NewStamp, StampEnd } from '../../db/uploads/stamps.ts'
import { insertStamp, takeStamps, withdrawStamp } from '../../db/uploads/stamps.ts'
import type { UploadOwner } from '../../db/uploads/uploads.ts'
import { createStampsWaker } from '../../requests/notices.ts'
import type { Store } from '../../store/store.ts'
import { removeUpload } from '../remove.ts'
import { tooManyStamps } from './refusals.ts'

/** How often the watch polls, with one statement for all waiting calls. A notification arrives sooner. */
const POLL_MS = 200

/** Calls `poll` once, later; returns a function that cancels the call. */
type Schedule = (poll: () => void) => () => void

const afterPollMs: Schedule = (poll) => {
  const timer = setTimeout(poll, POLL_MS)
  return () => clearTimeout(timer)
}

/** Has workers draw stamps, and waits for them on behalf of calls. A process has one. */
export class StampWatch implements AsyncDisposable {
  readonly #sql: Sql
  readonly #store: Pick<Store, 'discard'>
  readonly #wake: () => void
  readonly #waiting = new Map<string, (end: StampEnd | undefined) => void>()
  #listening: Promise<{ stop: () => Promise<void> }> | undefined
  readonly #schedulePoll: Schedule
  #cancelPoll: () => void = () => undefined
  #looking: Promise<void> | undefined
  #mustLookAgain = false
  #isClosed = false

  /**
   * `notices` is the pool that sends notifications, `ears` the pool that receives them. Without `ears`, the watch only
   * polls; `schedule` decides when.
   */
  constructor(sql: Sql, store: Pick<Store, 'discard'>, notices: Sql, ears?: Sql, schedule: Schedule = afterPollMs) {
    this.#sql = sql
    this.#schedulePoll = schedule
    this.#store = store
    this.#wake = createStampsWaker(notices)
    this.#listening =
      ears &&
      listenToStampEnds(ears, (ids) => {
        if (ids.some((id) => this.#waiting.has(id))) void this.#look()
      })
    this.#listening?.catch(() => undefined)
  }

  /** Writes a stamp for the workers; gives its id, by which it is to be awaited. Throws `concurrency_limited`. */
  async order(stamp: Omit<NewStamp, 'id' | 'atOnce'>): Promise<string> {
    const id = randomBytes(16).toString('hex')
    const isIn = await this.#sql.begin(async (tx) => await insertStamp(tx, { ...stamp, id, atOnce: STAMPS_AT_ONCE }))
    if (!isIn) throw tooManyStamps()
    this.#wake()
    return id
  }

  /**
   * Resolves to what a stamp came to, or to `undefined` once `signal` aborts or this watch closes.
   *
   * The stamp is over then in any case: what a worker still draws of it is thrown away.
   */
  async end(id: string, signal: AbortSignal): Promise<StampEnd | undefined> {
    const { promise, resolve } = Promise.withResolvers<void>()
    let end: StampEnd | undefined
    const giveUp = () => resolve()
    if (this.#isClosed || signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    this.#waiting.set(id, (found) => {
      end ??= found
      resolve()
    })
    void this.#look()
    try {
      await promise
      // What is taken in this moment is taken for this call.
      await this.#looking
      return end ?? (await withdrawStamp(this.#sql, id).catch(() => undefined))
    } finally {
      signal.removeEventListener('abort', giveUp)
      this.#waiting.delete(id)
    }
  }

  /** Deletes the upload of a stamp whose client is gone: nobody knows of it. */
  async forget(owner: UploadOwner, { uploadId }: StampEnd): Promise<void> {
    if (uploadId !== null) await removeUpload(this.#sql, this.#store, owner, uploadId).catch(() => undefined)
  }

  /** Answers all who wait at once, and everyone who comes after. */
  close(): void {
    this.#isClosed = true
    this.#cancelPoll()
    for (const resolve of this.#waiting.values()) resolve(undefined)
  }

  /** Closes, and stops hearing of notices. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    const listening = await this.#listening?.catch(() => undefined)
    await listening?.stop()
  }

  /** One look at a time; what is heard of meanwhile is in the next. */
  async #look(): Promise<void> {
    // A look at nothing would end before it is noted in `#looking`, which would then never be cleared.
    if (this.#waiting.size === 0) return
    this.#mustLookAgain = true
    this.#looking ??= this.#lookOften()
    await this.#looking
  }

  async #lookOften(): Promise<void> {
    try {
      while (this.#mustLookAgain && this.#waiting.size > 0) {
        this.#mustLookAgain = false
        for (const end of await takeStamps(this.#sql, [...this.#waiting.keys()])) this.#waiting.get(end.id)?.(end)
      }
    } catch {
      // The database is away: the next look comes by itself, and every wait has its own end.
    } finally {
      this.#looking = undefined
      this.#schedule()
    }
  }

  #schedule(): void {
    if (this.#isClosed || this.#waiting.size === 0) return
    this.#cancelPoll()
    this.#cancelPoll = this.#schedulePoll(() => void this.#look())
  }
}
