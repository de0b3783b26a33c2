import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import type { AttemptRow, ClaimedEvent } from '../db/events/events.ts'
import { claimEvents, fixBodies, recordAttempts, releaseEvents } from '../db/events/events.ts'
import { coalesce } from '../lib/time/coalesce.ts'
import { retry } from '../lib/time/retry.ts'
import { GAPS_MS } from '../outbound/attempt-gaps.ts'
import type { Work } from '../queue/claim-loop.ts'
import { ClaimLoop } from '../queue/claim-loop.ts'
import { subscribeToQueue } from '../queue/notifications.ts'
import type { Links } from '../requests/present.ts'
import { traceField } from '../telemetry/trace.ts'
import type { Delivering } from './deliver.ts'
import { DEADLINE_MS, deliver } from './deliver.ts'
import { eventBody } from './event.ts'
import { countByAccount, freeSlotsFor } from './slots.ts'

const POLL_MS = 2_000
const UNNOTIFIED_POLL_MS = 500
/** A claim includes all events that became due in this pause. */
const CLAIM_PAUSE_MS = 20
/** The minimum pause after a claim, relative to the claim's duration. Slow claims must not saturate the database. */
const PAUSE_RATIO = 2
/** How much later than the due time a timer fires. An early timer would find no due event. */
const TIMER_SLACK_MS = 5
const SLOTS = 512
/** How long a claim lasts. It is longer than any attempt: 5 s for DNS, 10 s for the headers, and 2 s for the body. */
const LEASE_MS = 30_000

export type DeliveriesOptions = Pick<Delivering, 'secretKey' | 'network' | 'tracer'> & {
  sql: Sql
  notices?: Sql | undefined
  links: Links
  log: Logger
  gapsMs?: readonly number[]
  deadlineMs?: number
  slots?: number
}

export type DeliveryCounts = {
  delivered: number
  retried: number
  undelivered: number
  /** Attempts that lost their lease, failed unexpectedly, or were interrupted. Their events are sent again. */
  repeated: number
  inFlight: number
}

export type Deliveries = {
  wake: () => void
  counts: Readonly<DeliveryCounts>
  stop: (graceMs: number) => Promise<void>
}

export async function startDeliveries(options: DeliveriesOptions): Promise<Deliveries> {
  const { sql, notices, log } = options
  const counts: DeliveryCounts = { delivered: 0, retried: 0, undelivered: 0, repeated: 0, inFlight: 0 }
  const claims = new DeliveryClaims(sql, options.slots ?? SLOTS)
  const context = {
    ...options,
    counts,
    wake: () => loop.wake(),
    fixBody: createBodyFixer(sql),
    record: createRecorder(sql),
    gapsMs: options.gapsMs ?? GAPS_MS,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
  }
  const work: Work<ClaimedEvent> = {
    name: 'deliveries',
    keyOf: ({ eventId }) => eventId,
    claim: (running) => claims.claim(running),
    run: (event, signal) => runDelivery(context, event, signal),
    // When the lease expires, any process can claim the delivery.
    requeue: () => Promise.resolve(),
    async release(unfinished) {
      await releaseEvents(sql, [...unfinished, ...claims.takeUnstarted()].map(leaseOf))
    },
    poll: { intervalMs: notices === undefined ? UNNOTIFIED_POLL_MS : POLL_MS },
    ...(notices !== undefined && { listen: ({ wake }) => subscribeToQueue(notices, 'deliveries', wake) }),
  }
  const loop = new ClaimLoop(work, { log })
  await loop.start()
  const stop = async (graceMs: number) => {
    claims.stop()
    await loop.stop(graceMs)
  }
  return { wake: () => loop.wake(), counts, stop }
}

class DeliveryClaims {
  readonly #sql: Sql
  readonly #slots: number
  #batch: ClaimedEvent[] = []
  #nextAt = 0
  #isStopped = false

  constructor(sql: Sql, slots: number) {
    this.#sql = sql
    this.#slots = slots
  }

  async claim(running: readonly ClaimedEvent[]): Promise<ClaimedEvent | undefined> {
    if (this.#batch.length === 0) this.#batch = await this.#claimBatch(running)
    return this.#batch.shift()
  }

  stop(): void {
    this.#isStopped = true
  }

  takeUnstarted(): ClaimedEvent[] {
    return this.#batch.splice(0)
  }

  async #claimBatch(running: readonly ClaimedEvent[]): Promise<ClaimedEvent[]> {
    const freeSlots = freeSlotsFor(this.#slots, running.length)
    if (freeSlots.limit === 0) return []
    const pauseMs = this.#nextAt - performance.now()
    if (pauseMs > 0) await delay(pauseMs)
    if (this.#isStopped) return []
    const began = performance.now()
    try {
      return await claimEvents(this.#sql, { ...freeSlots, inFlight: countByAccount(running), leaseMs: LEASE_MS })
    } finally {
      const now = performance.now()
      this.#nextAt = now + Math.max(CLAIM_PAUSE_MS, PAUSE_RATIO * (now - began))
    }
  }
}

const leaseOf = ({ eventId, lease }: ClaimedEvent) => ({ id: eventId, lease })

type Context = Delivering & {
  sql: Sql
  links: Links
  log: Logger
  counts: DeliveryCounts
  wake: () => void
  fixBody: BodyFixer
}

async function runDelivery(context: Context, claimed: ClaimedEvent, signal: AbortSignal): Promise<void> {
  const { counts, log, wake } = context
  const { eventId, id, accountId, trace } = claimed
  const names = { event_id: eventId, request_id: id, ...traceField(trace) }
  counts.inFlight += 1
  try {
    const body = await bodyOf(context, claimed)
    if (body === undefined) return
    const end = await deliver(context, { claimed, body }, signal)
    counts[end.outcome] += 1
    if (end.outcome === 'retried') setTimeout(wake, end.afterMs + TIMER_SLACK_MS).unref()
    if (end.outcome === 'undelivered')
      log.info({ ...names, account_id: accountId }, 'event undelivered; no attempts left')
  } catch (error) {
    counts.repeated += 1
    if (!signal.aborted) log.error({ err: error, ...names }, 'delivery interrupted; retrying later')
    throw error
  } finally {
    counts.inFlight -= 1
  }
}

async function bodyOf({ links, fixBody, log }: Context, claimed: ClaimedEvent): Promise<Buffer | undefined> {
  if (claimed.body !== null) return claimed.body
  let body: Buffer
  try {
    body = eventBody(claimed, links)
  } catch (error) {
    log.error(
      { err: error, event_id: claimed.eventId, request_id: claimed.id },
      'body of an event not built; retrying later',
    )
    return undefined
  }
  return (await fixBody({ ...leaseOf(claimed), body })) ? body : undefined
}

type BodyFixer = (event: { id: string; lease: number; body: Buffer }) => Promise<boolean>

/** Stores the body of an event before the first attempt, so that all attempts send the same bytes. */
const createBodyFixer = (sql: Sql): BodyFixer =>
  coalesce(async (events) => {
    const fixed = await fixBodies(sql, events)
    return events.map(({ id }) => fixed.has(id))
  })

/** The pause between tries to record an attempt. All tries together take less time than the lease of the event. */
const RECORD_RETRY_MS = 500
const TRIES = 16

function createRecorder(sql: Sql): (attempt: AttemptRow) => Promise<boolean> {
  return coalesce(async (attempts) => {
    const recorded = await retry(() => recordAttempts(sql, attempts), {
      pauseMs: RECORD_RETRY_MS,
      onFailure(error, tries) {
        if (tries === TRIES) throw error
      },
    })
    return attempts.map(({ eventId }) => recorded.has(eventId))
  })
}
