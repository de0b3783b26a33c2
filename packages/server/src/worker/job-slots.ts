import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Claim } from '../requests/claim.ts'

/** A job is stopped without an outcome: its request is not this worker's any more. */
export class ClaimLost extends Error {
  override name = 'ClaimLost'
}

type Job = { claim: Claim; stop: AbortController; done: Promise<void> }

/** What a worker may claim at once, and the accounts that may have no more. */
export type Room = { most: number; fullAccounts: number[] }

/** Holds the jobs that a worker runs, and counts them by lane and by account. */
export class JobSlots {
  readonly #jobs = new Map<RequestId, Job>()

  /** The requests that this worker holds. */
  get ids(): RequestId[] {
    return [...this.#jobs.keys()]
  }

  /** Settles when all jobs that run now have ended. */
  get ended(): Promise<unknown> {
    return Promise.all([...this.#jobs.values()].map(({ done }) => done))
  }

  /** Starts a job. It is counted until `work` settles, which must not reject; then `onEnd` is called. */
  start(claim: Claim, work: (signal: AbortSignal) => Promise<void>, onEnd: () => void): void {
    const { id } = claim.request
    // Taken over from this very worker, while the database was away: the earlier attempt is not its any more.
    this.lose(id)
    const stop = new AbortController()
    const done = work(stop.signal).finally(() => {
      if (this.#jobs.get(id) === job) this.#jobs.delete(id)
      onEnd()
    })
    const job = { claim, stop, done }
    this.#jobs.set(id, job)
  }

  /** Stops a job whose request this worker lost. */
  lose(id: RequestId): void {
    this.#jobs.get(id)?.stop.abort(new ClaimLost('the request was aborted, or another worker took it over'))
  }

  /** Tells what a worker may claim of a lane with so many places. One account never holds more than half (rulings 14). */
  room(lane: Lane, places: number): Room {
    const half = Math.max(1, Math.floor(places / 2))
    const held = new Map<number, number>()
    let free = places
    for (const { claim } of this.#jobs.values()) {
      if (claim.lane !== lane) continue
      const { accountId } = claim.request
      held.set(accountId, (held.get(accountId) ?? 0) + 1)
      free -= 1
    }
    const others = [...held.values()].filter((count) => count < half)
    return {
      // Whosever they are, none of those who may have more then has more than half.
      most: Math.max(0, Math.min(free, half - Math.max(0, ...others))),
      fullAccounts: [...held].filter(([, count]) => count >= half).map(([accountId]) => accountId),
    }
  }
}

/** Requests that one statement takes at most. Each size is a statement of its own, so there are few. */
const SIZES = [16, 8, 4, 2]

/** What a worker takes at once of those that wait: the eighth part, so that the others find as much. */
const SHARE = 8

/**
 * Tells how many requests a worker takes at once, and how many it counts.
 *
 * It takes one, unless so many waited at the last claim that every other worker still finds enough to do (decision 84), and
 * one where an account has all that it may have: most of what waits may be that account's. What it counts is for the next claim.
 */
export function claimSize({ most, fullAccounts }: Room, waiting: number): { most: number; countTo: number } {
  const wanted = fullAccounts.length > 0 ? 1 : Math.min(most, Math.floor(waiting / SHARE))
  const size = SIZES.find((size) => size <= wanted) ?? 1
  // With room for one alone it is enough to know whether another is left.
  return { most: size, countTo: most > 1 ? size + SHARE * Math.max(...SIZES) : 2 }
}
