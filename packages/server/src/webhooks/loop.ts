import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import type { ClaimedEvent } from '../db/events/events.ts'
import { claimEvents, fixBodies, releaseEvents } from '../db/events/events.ts'
import { everyUnlessQuiet, Quiet } from '../lib/time/quiet.ts'
import type { Links } from '../requests/present.ts'
import { traceField } from '../telemetry/trace.ts'
import type { DeliveryCounts } from './counts.ts'
import { createCounts } from './counts.ts'
import type { Delivering, Delivery } from './deliver.ts'
import { deliver } from './deliver.ts'
import { eventBody } from './event.ts'
import type { Places } from './places.ts'
import { createPlaces } from './places.ts'
import { createRecorder } from './recorder.ts'
import { DEADLINE_MS, GAPS_MS } from './schedule.ts'

/** How often a process looks for deliveries that nothing told it of. */
const POLL_MS = 500
/** What is added to it after half a minute in which it neither heard of one nor had one in flight. */
const QUIET_POLL_MS = 1_500
/** Between two claims: what comes meanwhile is claimed together. */
const CLAIM_PAUSE_MS = 20
/** After a slow claim the pause is so many times as long, so that claiming never fills a connection or the database. */
const PAUSE_RATIO = 2
/** Timers may fire a little early, and the next look may be far. */
const TIMER_SLACK_MS = 5
/** Deliveries that one process has in flight at once, each with a socket of its own. */
const PLACES = 512
/** Longer than any attempt takes: 5 s for the name, 10 s for the answer's headers, 2 s for what is kept of its body. */
const LEASE_MS = 30_000

export type DeliveriesOptions = Pick<Delivering, 'secretKey' | 'network' | 'tracer'> & {
  sql: Sql
  links: Links
  log: Logger
  /** Those of Spec 6.3 unless told otherwise. */
  gapsMs?: readonly number[]
  deadlineMs?: number
  places?: number
}

export type Deliveries = {
  /** Looks for something to deliver now: a request has ended. Never waits and never throws. */
  wake: () => void
  counts: Readonly<DeliveryCounts>
  /** Claims no more, lets what is in flight finish for so long, hands the rest to other processes. */
  stop: (graceMs: number) => Promise<void>
}

/** What the log says of an event. */
const namesOf = (event: ClaimedEvent) => ({
  event_id: event.eventId,
  request_id: event.id,
  ...traceField(event.trace),
})

/** Delivers events until it is stopped. Any number of processes may do so over one database. */
export const startDeliveries = (options: DeliveriesOptions): Deliveries => new DeliveryLoop(options)

class DeliveryLoop implements Deliveries {
  readonly counts = createCounts()
  readonly #options: DeliveriesOptions
  readonly #parts: Delivering
  readonly #places: Places
  readonly #running = new Set<Promise<void>>()
  readonly #cut = new AbortController()
  readonly #polling = new AbortController()
  readonly #quiet = new Quiet({ isBusy: () => this.#running.size > 0 })
  #isStopped = false
  #claiming: Promise<void> | undefined
  #mustLook = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
    this.#parts = {
      secretKey: options.secretKey,
      network: options.network,
      tracer: options.tracer,
      record: createRecorder(options.sql),
      gapsMs: options.gapsMs ?? GAPS_MS,
      deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    }
    this.#places = createPlaces(options.places ?? PLACES)
    const turns = { intervalMs: POLL_MS, quiet: this.#quiet, restMs: QUIET_POLL_MS }
    everyUnlessQuiet(turns, this.#polling.signal, async () => this.#look())
    this.wake()
  }

  readonly wake = (): void => {
    this.#quiet.touch()
    this.#look()
  }

  #look(): void {
    this.#mustLook = true
    if (!this.#isStopped) this.#claiming ??= this.#claimAll()
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    this.#polling.abort()
    await this.#claiming
    const late = setTimeout(() => this.#cut.abort(new Error('the service stops')), graceMs)
    while (this.#running.size > 0) await Promise.all(this.#running)
    clearTimeout(late)
  }

  async #claimAll(): Promise<void> {
    while (this.#mustLook && !this.#isStopped) {
      this.#mustLook = false
      const began = performance.now()
      try {
        await this.#claim()
      } catch (error) {
        this.#options.log.error({ err: error }, 'claiming deliveries failed; trying again')
      }
      await delay(Math.max(CLAIM_PAUSE_MS, PAUSE_RATIO * (performance.now() - began)))
    }
    this.#claiming = undefined
  }

  async #claim(): Promise<void> {
    const { limit, share } = this.#places.room()
    if (limit === 0) return
    const wanted = { limit, share, inFlight: this.#places.inFlight, leaseMs: LEASE_MS }
    const claimed = await claimEvents(this.#options.sql, wanted)
    // An account may have had more than its part of this claim.
    if (claimed.length > 0) this.#mustLook = true
    for (const delivery of await this.#withBodies(claimed)) this.#begin(delivery)
  }

  /** Stores the bytes of first attempts before any is sent, so that no later attempt can differ. */
  async #withBodies(claimed: ClaimedEvent[]): Promise<Delivery[]> {
    const fresh = claimed.filter(({ body }) => body === null).flatMap((event) => this.#written(event))
    const fixes = fresh.map(({ claimed, body }) => ({ id: claimed.eventId, lease: claimed.lease, body }))
    const fixed = fixes.length === 0 ? new Set<string>() : await fixBodies(this.#options.sql, fixes)
    const known = claimed.flatMap((event) => (event.body === null ? [] : [{ claimed: event, body: event.body }]))
    return [...known, ...fresh.filter(({ claimed }) => fixed.has(claimed.eventId))]
  }

  #written(claimed: ClaimedEvent): Delivery[] {
    try {
      return [{ claimed, body: eventBody(claimed, this.#options.links) }]
    } catch (error) {
      this.#options.log.error({ err: error, ...namesOf(claimed) }, 'an event could not be written; trying again later')
      return []
    }
  }

  #begin(delivery: Delivery): void {
    const { accountId } = delivery.claimed
    this.#places.take(accountId)
    this.counts.inFlight += 1
    const done = this.#attempt(delivery).finally(() => {
      this.#places.give(accountId)
      this.counts.inFlight -= 1
      this.#running.delete(done)
      this.wake()
    })
    this.#running.add(done)
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { sql, log } = this.#options
    const { eventId, lease, accountId } = delivery.claimed
    const names = namesOf(delivery.claimed)
    try {
      const end = await deliver(this.#parts, delivery, this.#cut.signal)
      this.counts[end.outcome] += 1
      if (end.outcome === 'retried') setTimeout(this.wake, end.afterMs + TIMER_SLACK_MS).unref()
      if (end.outcome === 'undelivered') log.info({ ...names, account_id: accountId }, 'an event was given up')
    } catch (error) {
      this.counts.repeated += 1
      if (this.#cut.signal.aborted) await releaseEvents(sql, [{ id: eventId, lease }]).catch(() => undefined)
      else log.error({ err: error, ...names }, 'a delivery was cut short; trying again later')
    }
  }
}
