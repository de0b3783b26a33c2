import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Lane } from '@mediamill/contract/domain/request'
import { UnknownWork } from '@mediamill/contract/endpoints/work'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import { everyUnlessQuiet, Quiet } from '../lib/time/quiet.ts'
import { pause, retry } from '../lib/time/retry.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import type { Claim, LivingWorker } from '../requests/claim.ts'
import { isWorkWaiting, mayTryAgain, requeueAll, requeueOrFail, requeueUncounted } from '../requests/claim.ts'
import { listen } from '../requests/notices.ts'
import { traceField } from '../telemetry/trace.ts'
import type { LaneOptions } from './claimer.ts'
import { Claimer } from './claimer.ts'
import { JobSlots } from './job-slots.ts'
import { Lease, logged } from './lease.ts'

/**
 * How often a worker looks for work that no notice told it of, and renews its lease. After half a minute without work it
 * does so only when it looks around (`Lease`).
 */
const POLL_MS = 500
const RENEW_MS = 1_000
/** The same where no notice is heard: an abort must stop its job within a second all the same (rulings 7). */
const DEAF_POLL_MS = 100
const DEAF_RENEW_MS = 400

/** The pause after an attempt that broke, times its number: what broke it, such as a full disk, may pass. */
const REST_MS = 2_000
const REQUEUE_AGAIN_MS = 1_000

export type WorkerOptions = {
  sql: Sql
  /** The pool that notices are heard on; without one the worker looks more often. */
  notices: Sql | undefined
  lanes: LaneOptions[]
  /** What the worker is known by; a new name unless given. */
  id?: string
  /** Videos that it makes at once, where it takes parts of long ones. */
  videoPlaces?: number | undefined
  retentionMs: number
  /** The wall around this worker's engines, for who runs the service to see. */
  isolation?: string
  /** Brings a request to its end in the database. Rejects with the signal's reason when it was stopped. */
  work: (claim: Claim, signal: AbortSignal) => Promise<void>
  log: Logger
  /** How long a request rests after an attempt that broke, times the attempt's number; 2 s unless given. */
  restMs?: number
  /** The clock, in milliseconds, by which it knows how long there was no work. */
  clock?: () => number
}

/** A worker that runs. */
export type Worker = {
  /** Claims no more, lets what runs finish for `graceMs`, and requeues the rest. It lives until `meanwhile` settles. */
  stop: (graceMs: number, meanwhile?: Promise<void>) => Promise<void>
}

/** Claims requests and works on them until it is stopped. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const worker = new RequestWorker(options)
  try {
    await worker.start()
    return worker
  } catch (error) {
    await worker.abandon()
    throw error
  }
}

class RequestWorker implements Worker {
  readonly #options: WorkerOptions
  readonly #lanes: Lane[]
  readonly #worker: LivingWorker
  readonly #slots = new JobSlots()
  readonly #quiet: Quiet
  readonly #claimer: Claimer
  readonly #lease: Lease
  readonly #polling = new AbortController()
  #listening: { stop: () => Promise<void> } | undefined

  constructor(options: WorkerOptions) {
    const { sql, retentionMs, lanes, log } = options
    const slots = this.#slots
    const isBusy = () => slots.ids.length > 0
    this.#quiet = new Quiet(options.clock === undefined ? { isBusy } : { isBusy, clock: options.clock })
    const { id = randomUUID(), isolation, videoPlaces } = options
    this.#worker = { id, host: hostname(), isolation, videoPlaces }
    this.#options = options
    this.#lanes = lanes.map(({ lane }) => lane)
    this.#claimer = new Claimer({
      sql,
      workerId: this.#worker.id,
      lanes,
      slots,
      start: (claim) => this.#start(claim),
      log,
    })
    this.#lease = new Lease({
      sql,
      worker: this.#worker,
      slots,
      renewMs: options.notices === undefined ? DEAF_RENEW_MS : RENEW_MS,
      retentionMs,
      lanes: this.#lanes,
      quiet: this.#quiet,
      onUnknown: () => this.#claimer.checkUnanswered(),
      onWaiting: () => this.#claimer.look(this.#lanes),
      log,
    })
  }

  async start(): Promise<void> {
    const { sql, notices, log } = this.#options
    await this.#lease.start()
    const hear = {
      requests: (wanted: readonly Lane[]) => {
        this.#quiet.touch()
        void this.#claimer.look(wanted)
      },
      abort: (id: number) => this.#slots.lose(id as RequestId),
    }
    this.#listening = notices && (await listen(notices, hear))
    const pollMs = notices === undefined ? DEAF_POLL_MS : POLL_MS
    const look = async () => {
      if (await isWorkWaiting(sql, this.#lanes)) await this.#claimer.look(this.#lanes)
    }
    // Where no notice is heard this is how work is found, quiet or not.
    const restMs = notices === undefined ? 0 : Number.POSITIVE_INFINITY
    const turns = { intervalMs: pollMs, quiet: this.#quiet, restMs }
    everyUnlessQuiet(turns, this.#polling.signal, logged(log, 'looking for work', look))
    void this.#claimer.look(this.#lanes)
  }

  async stop(graceMs: number, meanwhile?: Promise<void>): Promise<void> {
    // It is awaited later, and may reject before.
    meanwhile?.catch(() => undefined)
    // A claim that is under way is this worker's, and is finished or requeued like the others.
    await this.#claimer.stop()
    const running = this.#slots.ended
    await withTimeout(running, graceMs, () => undefined)
    for (const id of this.#slots.ids) this.#slots.lose(id)
    await running
    await meanwhile
    await this.abandon()
    await requeueAll(this.#options.sql, this.#worker.id)
  }

  /** Ends what looks, renews and listens, and leaves the requests to other workers. */
  async abandon(): Promise<void> {
    this.#polling.abort()
    this.#lease[Symbol.dispose]()
    await this.#listening?.stop()
  }

  #start(claim: Claim): void {
    this.#quiet.touch()
    this.#slots.start(
      claim,
      (signal) => this.#work(claim, signal),
      () => void this.#claimer.lookBehind(),
    )
  }

  async #work(claim: Claim, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.work(claim, signal)
    } catch (error) {
      await this.#handleBroken(claim, error, signal)
    }
  }

  /** Requeues or fails a request whose attempt broke. Until the database knows, no other worker takes it over. */
  async #handleBroken(claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const { held, trace, lane } = claim
    const { sql, log, retentionMs, restMs = REST_MS } = this.#options
    const names = { request_id: held.id, attempt: held.attempt, ...traceField(trace) }
    const isUnknown = error instanceof UnknownWork
    if (isUnknown) {
      log.warn({ err: error, ...names }, 'a request of a newer version is left to workers that know it')
      this.#claimer.leave(held.id)
    } else {
      log.error({ err: error, ...names }, 'an attempt broke')
    }
    try {
      if (!isUnknown && mayTryAgain(held)) await pause(restMs * held.attempt, signal)
      await retry(() => (isUnknown ? requeueUncounted(sql, held) : requeueOrFail(sql, held, retentionMs)), {
        pauseMs: REQUEUE_AGAIN_MS,
        onFailure: (cause) => log.error({ err: cause, ...names }, 'requeueing a request failed; trying again'),
        signal,
      })
      this.#claimer.markBehind(lane)
    } catch (cause) {
      // Stopped meanwhile: it is somebody else's request now.
      if (!signal.aborted) throw cause
    }
  }
}
