import type { Logger } from 'pino'
import { every } from '../lib/time/every.ts'
import { retry } from '../lib/time/retry.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import { logErrors, logFailure } from './log-errors.ts'

const REQUEUE_RETRY_MS = 1_000

export class ClaimLost extends Error {
  override name = 'ClaimLost'
}

export type JobKey = number | string

type Listening = { stop: () => Promise<void> }

export type Work<Job> = {
  name: string
  keyOf: (job: Job) => JobKey
  claim: (running: readonly Job[]) => Promise<Job | undefined>
  run: (job: Job, signal: AbortSignal) => Promise<void>
  /** Requeues a job after an unexpected error. If it was the last attempt, ends the job instead. */
  requeue: (job: Job, error: unknown) => Promise<void>
  /** When the process stops, requeues its unfinished jobs. Their interrupted attempts do not count. */
  release: (unfinished: readonly Job[]) => Promise<void>
  /** Renews the leases of running jobs. `leases` returns the keys of jobs that this process has lost. */
  renew?: { intervalMs: number; leases: (running: readonly Job[]) => Promise<Iterable<JobKey>> }
  /** Requeues jobs that the database has assigned to this process, but whose claim got no response. */
  requeueUnknown?: (running: readonly Job[]) => Promise<unknown>
  poll?: { intervalMs: number; isWaiting?: () => Promise<boolean> }
  listen?: (loop: { wake: () => void; lose: (isLost: (job: Job) => boolean) => void }) => Promise<Listening>
}

type Running<Job> = { job: Job; stop: AbortController; done: Promise<void> }

export class ClaimLoop<Job> {
  readonly #work: Work<Job>
  readonly #log: Logger
  readonly #running = new Map<JobKey, Running<Job>>()
  readonly #timers = new AbortController()
  #listening: Listening | undefined
  #claiming: Promise<void> | undefined
  #renewing: Promise<void> | undefined
  #mustClaim = false
  #mustRecover = false
  #isStopped = false

  constructor(work: Work<Job>, { log }: { log: Logger }) {
    this.#work = work
    this.#log = log
  }

  get running(): Job[] {
    return [...this.#running.values()].map(({ job }) => job)
  }

  async start(): Promise<this> {
    const { name, poll, renew, listen } = this.#work
    this.#listening = await listen?.({ wake: () => this.wake(), lose: (isLost) => this.#lose(isLost) })
    const repeat = (action: string, intervalMs: number, work: () => Promise<unknown>) =>
      every(intervalMs, this.#timers.signal, logErrors(this.#log, action, work))
    if (poll !== undefined) {
      repeat(`polling for ${name}`, poll.intervalMs, async () => {
        if (!this.#isStopped && (await poll.isWaiting?.()) !== false) await this.claimNow()
      })
    }
    if (renew !== undefined) {
      repeat(`renewing the leases of ${name}`, renew.intervalMs, async () => {
        if (this.#running.size > 0 || this.#mustRecover) await this.renew()
      })
    }
    this.wake()
    return this
  }

  wake(): void {
    void this.claimNow()
  }

  async claimNow(): Promise<void> {
    if (this.#isStopped) return
    this.#mustClaim = true
    this.#claiming ??= this.#claimAll()
    await this.#claiming
  }

  async recover(): Promise<void> {
    this.#mustRecover = true
    await this.claimNow()
  }

  async renew(): Promise<void> {
    if (this.#timers.signal.aborted) return
    this.#renewing ??= this.#renewAll().finally(() => (this.#renewing = undefined))
    await this.#renewing
  }

  /** Waits for the running jobs without a time limit. Renews their leases until `stop` is called. */
  async drain(): Promise<void> {
    this.#isStopped = true
    await this.#claiming
    await this.#allDone()
  }

  /**
   * Stops the loop, and requeues jobs that have not ended after `graceMs`. Renews leases until `meanwhile` settles,
   * because other loops of the worker need its heartbeat until then.
   */
  async stop(graceMs: number, meanwhile: Promise<unknown> = Promise.resolve()): Promise<void> {
    // `meanwhile` may reject before the code below waits for it.
    meanwhile.catch(() => undefined)
    this.#isStopped = true
    // A claim in progress may still return a job. This process must run the job like any other job.
    await this.#claiming
    const ended = this.#allDone()
    await withTimeout(ended, graceMs, () => undefined)
    const unfinished = this.running
    this.#lose(() => true)
    await ended
    await meanwhile
    this.#timers.abort()
    // After the release, a lease renewal would look like a heartbeat of this worker, which has stopped.
    await this.#renewing?.catch(() => undefined)
    await this.#listening?.stop()
    const { name, release } = this.#work
    try {
      await release(unfinished)
    } catch (error) {
      logFailure(this.#log, error, `requeueing ${name} failed; other processes claim them later`)
    }
  }

  async #allDone(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  async #renewAll(): Promise<void> {
    if (this.#mustRecover) await this.claimNow()
    const jobs = [...this.#running.values()]
    const lost = new Set(await this.#work.renew?.leases(jobs.map(({ job }) => job)))
    for (const { job, stop } of jobs) if (lost.has(this.#work.keyOf(job))) stop.abort(claimLost())
  }

  async #claimAll(): Promise<void> {
    const { claim, requeueUnknown, name } = this.#work
    try {
      while (this.#mustClaim && !this.#isStopped) {
        this.#mustClaim = false
        if (this.#mustRecover) await requeueUnknown?.(this.running)
        this.#mustRecover = false
        for (let job = await claim(this.running); job !== undefined; job = await claim(this.running)) {
          this.#start(job)
          if (this.#isStopped) break
        }
      }
    } catch (error) {
      this.#mustRecover = requeueUnknown !== undefined
      logFailure(this.#log, error, `claiming ${name} failed; retrying`)
    } finally {
      this.#claiming = undefined
    }
  }

  #start(job: Job): void {
    const key = this.#work.keyOf(job)
    // This process lost the job's lease and claimed the job again while still running it. Stop the first run.
    this.#running.get(key)?.stop.abort(claimLost())
    const stop = new AbortController()
    const running: Running<Job> = { job, stop, done: Promise.resolve() }
    this.#running.set(key, running)
    running.done = this.#run(job, stop.signal).finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key)
      void this.claimNow()
    })
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    const { run, requeue, name } = this.#work
    try {
      await run(job, signal)
    } catch (error) {
      if (signal.aborted) return
      await retry(() => requeue(job, error), {
        pauseMs: REQUEUE_RETRY_MS,
        onFailure: (cause) => logFailure(this.#log, cause, `requeueing a job of ${name} failed; retrying`),
        signal,
      }).catch((cause: unknown) => {
        // After an abort, another worker may already have this job.
        if (!signal.aborted) throw cause
      })
    }
  }

  #lose(isLost: (job: Job) => boolean): void {
    for (const { job, stop } of this.#running.values()) if (isLost(job)) stop.abort(claimLost())
  }
}

const claimLost = () => new ClaimLost('the job has ended, or another worker has taken it over')
