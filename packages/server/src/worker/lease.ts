import type { Lane } from '@mediamill/contract/domain/request'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import { every } from '../lib/time/every.ts'
import type { Quiet } from '../lib/time/quiet.ts'
import { everyUnlessQuiet } from '../lib/time/quiet.ts'
import type { LivingWorker } from '../requests/claim.ts'
import { announce, lookAround, renew, takeOver } from '../requests/claim.ts'
import type { JobSlots } from './job-slots.ts'
import { createSteadiness } from './steady.ts'

/** How often a worker renews its lease at the least and looks around, also when it has nothing to do. */
const LOOK_AROUND_MS = 1_500

export type LeaseOptions = {
  sql: Sql
  worker: LivingWorker
  slots: JobSlots
  /** How often the lease is renewed. */
  renewMs: number
  retentionMs: number
  /** The lanes in which work is looked for. */
  lanes: readonly Lane[]
  /** Tells when the lease need not be renewed so often. */
  quiet: Quiet
  /** Called when the worker holds a request that it does not know of. */
  onUnknown: () => Promise<void>
  /** Called when requests wait that no notice need have told of. */
  onWaiting: () => Promise<void>
  log: Logger
}

/** Renews a worker's lease on its requests. It also takes over those of workers that went silent. */
export class Lease implements Disposable {
  readonly #options: LeaseOptions
  readonly #ended = new AbortController()
  readonly #steadiness = createSteadiness(performance.now())

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  /** Makes the worker known and keeps it so until it is disposed of. */
  async start(): Promise<void> {
    const { sql, worker, renewMs, quiet, log } = this.#options
    await announce(sql, worker)
    // One that holds nothing says so when it looks around: nobody's work depends on it.
    everyUnlessQuiet(
      { intervalMs: renewMs, quiet, restMs: Number.POSITIVE_INFINITY },
      this.#ended.signal,
      logged(log, 'saying that this worker lives', () => this.#renew()),
    )
    every(
      LOOK_AROUND_MS,
      this.#ended.signal,
      logged(log, 'looking for lost requests', () => this.#lookAround()),
    )
  }

  [Symbol.dispose](): void {
    this.#ended.abort()
  }

  async #renew(): Promise<void> {
    const { sql, worker, slots } = this.#options
    for (const id of await renew(sql, worker, slots.ids)) slots.lose(id)
    this.#steadiness.touch(performance.now())
  }

  async #lookAround(): Promise<void> {
    const { sql, worker, slots, lanes, onUnknown, onWaiting } = this.#options
    // First, so that after an outage this worker does not take its own requests for lost.
    await this.#renew()
    const found = await lookAround(sql, worker.id, slots.ids, lanes)
    const tookOver = found.isLost && this.#steadiness.isSteady(performance.now()) && (await this.#takeOver())
    if (found.isUnknown) await onUnknown()
    if (tookOver || found.isWaiting) await onWaiting()
  }

  async #takeOver(): Promise<boolean> {
    const { sql, retentionMs, log } = this.#options
    const taken = await takeOver(sql, retentionMs)
    for (const id of taken) log.warn({ request_id: id }, 'took a request over from a lost worker')
    return taken.length > 0
  }
}

/** Logs what a repeated piece of work throws. It is tried again at its next turn. */
export const logged = (log: Logger, what: string, work: () => Promise<unknown>) => async (): Promise<void> => {
  try {
    await work()
  } catch (error) {
    log.error({ err: error }, `${what} failed; trying again`)
  }
}
