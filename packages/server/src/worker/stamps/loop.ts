import { ApiError, RequestFailure } from '@mediamill/contract/domain/errors'
import type { Logger } from 'pino'
import type { Sql } from '../../db/connection/connect.ts'
import { everyUnlessQuiet, Quiet } from '../../lib/time/quiet.ts'
import { createStampTeller, listenToStamps } from '../../requests/notices.ts'
import type { StampClaim, StampOutcome } from '../../uploads/stamps/line.ts'
import { claimNext, refuseStamp, renewHeld, StampUnwanted } from '../../uploads/stamps/line.ts'

/** How often a worker looks for stamps that no notice told it of; the same where no notice is heard. */
const POLL_MS = 1_000
const DEAF_POLL_MS = 200
/** What is added to it after half a minute without stamps, where notices are heard. */
const QUIET_POLL_MS = 3_000

/** How often it says that it lives: a fifth of what its hold lasts. */
const RENEW_MS = 2_000

/** A stamp that was lost so often is not tried again. */
const MAX_ATTEMPTS = 2

/** How a stamp ends for its worker: `broken` is this service's fault. */
export type StampEnded = 'drawn' | 'refused' | 'unwanted' | 'broken'

export type StampLoopOptions = {
  sql: Sql
  /** The pool that notices are heard on; without one the worker looks more often. */
  notices: Sql | undefined
  /** Stamps that this worker has in work at once. */
  places: number
  hasRoom: () => boolean
  draw: (claim: StampClaim, signal: AbortSignal) => Promise<void>
  /** Told of each stamp that came to something. */
  onEnd: (outcome: StampEnded) => void
  log: Logger
}

type Job = { claim: StampClaim; stop: AbortController; done: Promise<void> }

/** Draws stamps for calls that wait for them, until it is disposed of. Then it lets what it draws finish. */
export class StampLoop implements AsyncDisposable {
  readonly #options: StampLoopOptions
  readonly #tell: (id: string) => void
  readonly #jobs = new Map<string, Job>()
  readonly #quiet = new Quiet({ isBusy: () => this.#jobs.size > 0 })
  readonly #ending = new AbortController()
  #claiming: Promise<void> | undefined
  #mustLookAgain = false
  #listening: { stop: () => Promise<void> } | undefined

  constructor(options: StampLoopOptions) {
    this.#options = options
    this.#tell = createStampTeller(options.sql)
  }

  async start(): Promise<this> {
    const { notices, log } = this.#options
    const hear = () => {
      this.#quiet.touch()
      void this.#look()
    }
    this.#listening = notices && (await listenToStamps(notices, hear))
    const { signal } = this.#ending
    const quiet = this.#quiet
    const pace =
      notices === undefined ? { intervalMs: DEAF_POLL_MS, restMs: 0 } : { intervalMs: POLL_MS, restMs: QUIET_POLL_MS }
    everyUnlessQuiet({ ...pace, quiet }, signal, () => this.#look())
    everyUnlessQuiet({ intervalMs: RENEW_MS, quiet, restMs: Number.POSITIVE_INFINITY }, signal, async () => {
      await this.#renew().catch((error: unknown) => log.warn({ err: error }, 'renewing stamps failed; trying again'))
    })
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await this.#listening?.stop()
    await this.#claiming
    await Promise.all([...this.#jobs.values()].map(({ done }) => done))
  }

  async #look(): Promise<void> {
    const { places, hasRoom } = this.#options
    // A look that claims nothing would end before it is noted in `#claiming`; whoever makes room looks again.
    if (this.#jobs.size >= places || !hasRoom() || this.#ending.signal.aborted) return
    this.#mustLookAgain = true
    this.#claiming ??= this.#claimAll()
    await this.#claiming
  }

  async #claimAll(): Promise<void> {
    const { sql, places, hasRoom, log } = this.#options
    try {
      while (this.#mustLookAgain && !this.#ending.signal.aborted) {
        this.#mustLookAgain = false
        while (this.#jobs.size < places && hasRoom()) {
          const claim = await claimNext(sql, places)
          if (claim === undefined) break
          this.#quiet.touch()
          this.#start(claim)
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'claiming stamps failed; trying again')
    } finally {
      this.#claiming = undefined
    }
  }

  #start(claim: StampClaim): void {
    const stop = new AbortController()
    const job: Job = { claim, stop, done: Promise.resolve() }
    job.done = this.#work(claim, stop.signal).finally(() => {
      if (this.#jobs.get(claim.id) === job) this.#jobs.delete(claim.id)
      void this.#look()
    })
    // Claimed anew by this very worker, whose lease ran out: the earlier attempt has no one to tell.
    this.#jobs.get(claim.id)?.stop.abort(new StampUnwanted())
    this.#jobs.set(claim.id, job)
  }

  async #work(claim: StampClaim, signal: AbortSignal): Promise<void> {
    const { sql, draw, onEnd, log } = this.#options
    try {
      // wall: a stamp that takes every worker down
      if (claim.attempt > MAX_ATTEMPTS) throw new Error('a stamp was lost too often')
      await draw(claim, signal)
      onEnd('drawn')
    } catch (error) {
      if (error instanceof StampUnwanted) return onEnd('unwanted')
      const outcome = outcomeOf(error)
      onEnd(outcome.status === 'failed' ? 'refused' : 'broken')
      if (outcome.status === 'ours') log.error({ err: error, account_id: claim.accountId }, 'drawing a stamp broke')
      else log.info({ err: error, code: outcome.code, account_id: claim.accountId }, 'a stamp was refused')
      await refuseStamp(sql, claim, outcome).catch(() => false)
    }
    this.#tell(claim.id)
  }

  /** Stops what nobody waits for any more. */
  async #renew(): Promise<void> {
    const held = [...this.#jobs.values()].map(({ claim }) => claim)
    if (held.length === 0) return
    const wanted = await renewHeld(this.#options.sql, held)
    for (const { id } of held) if (!wanted.has(id)) this.#jobs.get(id)?.stop.abort(new StampUnwanted())
  }
}

function outcomeOf(error: unknown): Exclude<StampOutcome, { status: 'drawn' }> {
  if (!(error instanceof RequestFailure || error instanceof ApiError)) return { status: 'ours' }
  if (error instanceof ApiError && error.status >= 500) return { status: 'ours' }
  return { status: 'failed', code: error.code, message: error.message }
}
