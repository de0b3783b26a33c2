import type { RequestId } from '../domain/ids.ts'
import type { Lane } from '../domain/request.ts'
import type { Claim } from '../requests/claim.ts'

/** A job is stopped without an outcome: its request is not this worker's any more. */
export class ClaimLost extends Error {
  override name = 'ClaimLost'
}

type Job = { claim: Claim; stop: AbortController; done: Promise<void> }

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

  countOf(lane: Lane): number {
    return [...this.#jobs.values()].filter(({ claim }) => claim.lane === lane).length
  }

  /** Lists the accounts that hold half of a lane's places: one account never holds them all (rulings 14). */
  fullAccounts(lane: Lane, places: number): number[] {
    const held = new Map<number, number>()
    for (const { claim } of this.#jobs.values()) {
      const { accountId } = claim.request
      if (claim.lane === lane) held.set(accountId, (held.get(accountId) ?? 0) + 1)
    }
    return [...held].filter(([, count]) => count >= Math.max(1, Math.floor(places / 2))).map(([accountId]) => accountId)
  }
}
