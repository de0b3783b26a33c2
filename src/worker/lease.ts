import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import { announce, renew, takeOver } from '../requests/claim.ts'
import { every } from '../runtime/time/every.ts'
import type { JobSlots } from './job-slots.ts'
import { createSteadiness } from './steady.ts'

const TAKE_OVER_MS = 2_000

export type LeaseOptions = {
  sql: Sql
  worker: { id: string; host: string; isolation?: string | undefined }
  slots: JobSlots
  /** How often the lease is renewed. */
  renewMs: number
  retentionMs: number
  /** Called after each look for lost workers. */
  onTakeOver: () => Promise<void>
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
    const { sql, worker, renewMs, log } = this.#options
    await announce(sql, worker)
    every(
      renewMs,
      this.#ended.signal,
      logged(log, 'saying that this worker lives', () => this.#renew()),
    )
    every(
      TAKE_OVER_MS,
      this.#ended.signal,
      logged(log, 'looking for lost requests', () => this.#takeOver()),
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

  async #takeOver(): Promise<void> {
    const { sql, retentionMs, onTakeOver, log } = this.#options
    // First, so that after an outage this worker does not take its own requests for lost.
    await this.#renew()
    if (!this.#steadiness.isSteady(performance.now())) return
    for (const id of await takeOver(sql, retentionMs)) {
      log.warn({ request_id: id }, 'took a request over from a lost worker')
    }
    await onTakeOver()
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
