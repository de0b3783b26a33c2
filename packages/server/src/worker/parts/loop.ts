import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Logger } from 'pino'
import type { Sql } from '../../db/connection/connect.ts'
import { everyUnlessQuiet, Quiet } from '../../lib/time/quiet.ts'
import { retry } from '../../lib/time/retry.ts'
import { withTimeout } from '../../lib/time/with-timeout.ts'
import { listenToParts } from '../../requests/notices.ts'
import type { PartClaim } from '../../requests/parts/line.ts'
import {
  claimNextPart,
  findLostParts,
  isPartWaiting,
  requeueAllParts,
  requeueOrEndPart,
  requeueUnknownParts,
} from '../../requests/parts/line.ts'
import { ClaimLost } from '../job-slots.ts'
import { logged } from '../lease.ts'
import type { PartOutcome } from './run-part.ts'

/** How often a worker looks whether its parts are still its own, and the same where no notice of an abort is heard. */
const RENEW_MS = 1_000
const DEAF_RENEW_MS = 400

/** How often it looks for parts where no notice of them is heard. */
const DEAF_POLL_MS = 500

const REQUEUE_AGAIN_MS = 1_000

/** How an attempt at a part ends for its worker: `broken` is this service's fault. */
export type PartEnded = PartOutcome | 'broken'

export type PartLoopOptions = {
  sql: Sql
  /** The pool that notices are heard on; without one the worker looks more often. */
  notices: Sql | undefined
  workerId: string
  /** Videos that this worker makes at once, and how many it makes or is about to. */
  places: number
  busy: () => number
  hasRoom: () => boolean
  /** Requests of this worker that wait for their parts. */
  waitedFor: ReadonlySet<RequestId>
  work: (claim: PartClaim, signal: AbortSignal) => Promise<PartOutcome>
  /** Told of each attempt that came to something. */
  onEnd: (outcome: PartEnded) => void
  /** The rest after an attempt that broke, times its number; 2 s unless given. */
  restMs?: number
  /** A clock in milliseconds that never goes back. */
  clock?: () => number
  log: Logger
}

type Job = { claim: PartClaim; stop: AbortController; done: Promise<void> }

/**
 * Makes parts of long videos until it is stopped.
 *
 * Parts of any request are taken while a place is free that nobody else needs. One of the worker's own requests is taken
 * even where none is, when nobody works on it: a video in parts never stands still.
 */
export class PartLoop {
  readonly #options: PartLoopOptions
  readonly #jobs = new Map<number, Job>()
  readonly #quiet: Quiet
  readonly #ending = new AbortController()
  #claiming: Promise<void> | undefined
  #mustLookAgain = false
  /** Whether a claim may have been made whose answer was lost. */
  #mustCheck = false
  #listening: { stop: () => Promise<void> } | undefined

  constructor(options: PartLoopOptions) {
    this.#options = options
    const { clock } = options
    const isBusy = () => this.#jobs.size > 0 || this.#mustCheck
    this.#quiet = new Quiet({ isBusy, ...(clock !== undefined && { clock }) })
  }

  async start(): Promise<this> {
    const { sql, notices, log } = this.#options
    const hear = { parts: () => void this.look(), abort: (id: number) => this.#loseRequest(id) }
    this.#listening = notices && (await listenToParts(notices, hear))
    const { signal } = this.#ending
    const renewMs = notices === undefined ? DEAF_RENEW_MS : RENEW_MS
    const turns = { intervalMs: renewMs, quiet: this.#quiet, restMs: Number.POSITIVE_INFINITY }
    everyUnlessQuiet(
      turns,
      signal,
      logged(log, 'looking after parts', () => this.#renew()),
    )
    if (notices === undefined) {
      const look = async () => {
        if (this.#canTake() !== 'none' && (await isPartWaiting(sql))) await this.look()
      }
      everyUnlessQuiet(
        { intervalMs: DEAF_POLL_MS, quiet: this.#quiet, restMs: 0 },
        signal,
        logged(log, 'looking for parts', look),
      )
    }
    return this
  }

  /** Claims parts while there is room for them. */
  async look(): Promise<void> {
    if (this.#canTake() === 'none' || this.#ending.signal.aborted) return
    this.#mustLookAgain = true
    this.#claiming ??= this.#claimAll()
    await this.#claiming
  }

  /** Claims no more, lets what runs finish for `graceMs`, and requeues the rest. */
  async stop(graceMs: number): Promise<void> {
    this.#ending.abort()
    await this.#listening?.stop()
    await this.#claiming
    const ended = Promise.all([...this.#jobs.values()].map(({ done }) => done))
    await withTimeout(ended, graceMs, () => undefined)
    for (const { stop } of this.#jobs.values()) stop.abort(lost())
    await ended
    await requeueAllParts(this.#options.sql, this.#options.workerId)
  }

  /** Which parts this worker may claim now. One of several places is left to requests. */
  #canTake(): 'any' | 'own' | 'none' {
    const { places, busy, hasRoom, waitedFor } = this.#options
    if (!hasRoom()) return 'none'
    if (busy() < Math.max(1, places - 1)) return 'any'
    return this.#jobs.size === 0 && waitedFor.size > 0 ? 'own' : 'none'
  }

  async #claimAll(): Promise<void> {
    const { sql, workerId, log } = this.#options
    try {
      if (this.#mustCheck) {
        await requeueUnknownParts(sql, workerId, [...this.#jobs.keys()])
        this.#mustCheck = false
      }
      while (this.#mustLookAgain && !this.#ending.signal.aborted) {
        this.#mustLookAgain = false
        for (let take = this.#canTake(); take !== 'none'; take = this.#canTake()) {
          const claim = (take === 'any' ? await claimNextPart(sql, workerId) : undefined) ?? (await this.#claimOwn())
          if (claim === undefined) break
          this.#start(claim)
        }
      }
    } catch (error) {
      this.#mustCheck = true
      // A part that this worker holds unknowingly is nobody else's to make, and no notice comes of it.
      this.#quiet.touch()
      log.warn({ err: error }, 'claiming parts failed; trying again')
    } finally {
      this.#claiming = undefined
    }
  }

  async #claimOwn(): Promise<PartClaim | undefined> {
    const { sql, workerId, waitedFor } = this.#options
    if (this.#jobs.size > 0 || waitedFor.size === 0) return undefined
    return await claimNextPart(sql, workerId, [...waitedFor])
  }

  #start(claim: PartClaim): void {
    const { partId } = claim.held
    this.#quiet.touch()
    const stop = new AbortController()
    const job: Job = { claim, stop, done: Promise.resolve() }
    job.done = this.#work(claim, stop.signal).finally(() => {
      if (this.#jobs.get(partId) === job) this.#jobs.delete(partId)
      void this.look()
    })
    // Taken over from this very worker, while the database was away.
    this.#jobs.get(partId)?.stop.abort(lost())
    this.#jobs.set(partId, job)
  }

  async #work(claim: PartClaim, signal: AbortSignal): Promise<void> {
    const { work, onEnd } = this.#options
    try {
      onEnd(await work(claim, signal))
    } catch (error) {
      onEnd(signal.aborted ? 'lost' : 'broken')
      if (!signal.aborted) await this.#handleBroken(claim, error, signal)
    }
  }

  async #handleBroken(claim: PartClaim, error: unknown, signal: AbortSignal): Promise<void> {
    const { sql, log, restMs } = this.#options
    const { held, request, number } = claim
    const names = { request_id: request.id, part: number, attempt: held.attempt }
    log.error({ err: error, ...names }, 'an attempt at a part broke')
    await retry(() => requeueOrEndPart(sql, held, restMs), {
      pauseMs: REQUEUE_AGAIN_MS,
      onFailure: (cause) => log.error({ err: cause, ...names }, 'requeueing a part failed; trying again'),
      signal,
    }).catch((cause: unknown) => {
      // Stopped meanwhile: it is somebody else's part now.
      if (!signal.aborted) throw cause
    })
  }

  /** Stops what this worker holds no more, and finds claims whose answers were lost. */
  async #renew(): Promise<void> {
    const { sql, workerId } = this.#options
    const held = [...this.#jobs.keys()]
    if (this.#mustCheck) await this.look()
    if (held.length === 0) return
    for (const id of await findLostParts(sql, workerId, held)) this.#jobs.get(id)?.stop.abort(lost())
  }

  #loseRequest(id: number): void {
    for (const { claim, stop } of this.#jobs.values()) if (claim.request.id === id) stop.abort(lost())
  }
}

const lost = () => new ClaimLost('the request has ended, or another worker took the part over')
