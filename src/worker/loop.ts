import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import type { RequestId } from '../domain/ids.ts'
import type { Lane } from '../domain/request.ts'
import type { Claim } from '../requests/claim.ts'
import {
  announce,
  claim,
  giveBack,
  giveBackUnknown,
  isWorkWaiting,
  letGo,
  mayTryAgain,
  renew,
  takeOver,
} from '../requests/claim.ts'
import { listen } from '../requests/notices.ts'
import { traceField } from '../runtime/telemetry/trace.ts'
import { every } from '../runtime/time/every.ts'
import { createSteadiness } from './steady.ts'

/** How often a worker looks for work that no notice told it of, says that it lives, and looks for the dead. */
const POLL_MS = 500
const BEAT_MS = 1_000
/** The same where no notice is heard: an abort is to stop its job within a second all the same (rulings 7). */
const DEAF_POLL_MS = 100
const DEAF_BEAT_MS = 400
const TAKE_OVER_MS = 2_000

/** After an attempt that broke, times its number: what broke it, such as a full disk, may pass. */
const REST_MS = 2_000
const LET_GO_AGAIN_MS = 1_000

export type LaneOptions = {
  lane: Lane
  /** Requests of the lane that this worker holds at once: those that download, wait, are processed and stored. */
  places: number
  /** Whether one more could start soon: while engines are behind, requests are left for other workers. */
  hasRoom: () => boolean
}

export type WorkerOptions = {
  sql: Sql
  /** The pool that notices are heard on; without one the worker looks more often. */
  notices: Sql | undefined
  lanes: LaneOptions[]
  retentionMs: number
  /** Carries a request through to its end in the database. Rejects with the signal's reason when it was stopped. */
  work: (claim: Claim, signal: AbortSignal) => Promise<void>
  log: Logger
  /** How long a request rests after an attempt that broke, times the attempt's number; 2 s unless given. */
  restMs?: number
}

export type Worker = {
  /** Takes no more work, lets what runs finish for so long, hands the rest back to the queue. */
  stop: (graceMs: number) => Promise<void>
}

type Job = { claim: Claim; lane: Lane; stop: AbortController; done: Promise<void> }

/** Why a job is stopped without an outcome: it is not this worker's any more. */
export class ClaimLost extends Error {
  override name = 'ClaimLost'
}

/** Claims requests and works on them until it is stopped. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { sql, log, restMs = REST_MS } = options
  const worker = { id: randomUUID(), host: hostname() }
  const lanes = options.lanes.map(({ lane }) => lane)
  const jobs = new Map<RequestId, Job>()
  const timers = new AbortController()
  let stopping = false
  let pumping: Promise<void> | undefined
  /** Lanes that are to be looked into. */
  const due = new Set<Lane>()
  /** Lanes in which requests may wait for want of room here. */
  const behind = new Set<Lane>()
  /** Whether to look for requests whose claim was never answered. */
  let isToCheck = false

  /** Takes what there is room for; notices that come meanwhile make it look once more. */
  async function pump(wanted: Iterable<Lane>): Promise<void> {
    for (const lane of wanted) if (lanes.includes(lane)) due.add(lane)
    // With nothing to do it would be over before it is noted that it runs, and from then on seem to run for good.
    if ((due.size === 0 && !isToCheck) || stopping) return
    pumping ??= takeAll()
    await pumping
  }

  async function takeAll(): Promise<void> {
    try {
      while ((due.size > 0 || isToCheck) && !stopping) {
        if (isToCheck) await check()
        const now = options.lanes.filter(({ lane }) => due.has(lane))
        due.clear()
        // One of each in turn: a lane that fills as fast as it is emptied keeps no other waiting.
        for (const lane of now) await take(lane)
      }
    } catch (error) {
      log.error({ err: error }, 'claiming failed; trying again')
    } finally {
      // In the same breath as the last look at `due`: a notice in between would wait for the next poll.
      pumping = undefined
    }
  }

  /** Here no claim is under way, so what this worker holds and does not know of is what it will never hear of. */
  async function check(): Promise<void> {
    isToCheck = false
    const freed = await giveBackUnknown(sql, worker.id, [...jobs.keys()])
    for (const id of freed) log.warn({ request_id: id }, 'a claim was not answered; the request is claimed once more')
    if (freed.length > 0) for (const lane of lanes) due.add(lane)
  }

  /** Takes one request of a lane if there is room for it; the lane stays due while more are waiting. */
  async function take(options: LaneOptions): Promise<void> {
    const { lane, places, hasRoom } = options
    const except = fullAccounts(options)
    const isFull = countOf(lane) >= places || !hasRoom()
    if (isFull || except.length > 0) behind.add(lane)
    else behind.delete(lane)
    if (isFull || stopping) return
    const claimed = await claim(sql, worker.id, lane, except)
    if (claimed === undefined) return
    begin(claimed, lane)
    if (claimed.more) due.add(lane)
  }

  const countOf = (lane: Lane) => [...jobs.values()].filter((job) => job.lane === lane).length

  /** Accounts that hold half of a lane's places here: one account never holds them all (rulings 14). */
  function fullAccounts({ lane, places }: LaneOptions): number[] {
    const held = new Map<number, number>()
    for (const job of jobs.values()) {
      const { accountId } = job.claim.request
      if (job.lane === lane) held.set(accountId, (held.get(accountId) ?? 0) + 1)
    }
    return [...held].filter(([, count]) => count >= Math.max(1, Math.floor(places / 2))).map(([accountId]) => accountId)
  }

  function begin(claimed: Claim, lane: Lane): void {
    const { id } = claimed.request
    // Taken over from this very worker, while the database was away: the earlier attempt is not its any more.
    lose(id)
    const stop = new AbortController()
    const done = options
      .work(claimed, stop.signal)
      .catch((error: unknown) => handleBroken(claimed, lane, error, stop.signal))
      .finally(() => {
        if (jobs.get(id) === job) jobs.delete(id)
        // With room to spare there was nothing left to claim; a notice says when there is.
        if (behind.size > 0) void pump(behind)
      })
    const job = { claim: claimed, lane, stop, done }
    jobs.set(id, job)
  }

  /** Until the database knows it, the request is this worker's, which lives: nobody else would take it over. */
  async function handleBroken({ held, trace }: Claim, lane: Lane, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const names = { request_id: held.id, attempt: held.attempt, ...traceField(trace) }
    log.error({ err: error, ...names }, 'an attempt broke')
    const rest = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined)
    if (mayTryAgain(held)) await rest(restMs * held.attempt)
    while (!signal.aborted) {
      try {
        await letGo(sql, held, options.retentionMs)
        behind.add(lane)
        return
      } catch (cause) {
        log.error({ err: cause, ...names }, 'letting go of a request failed; trying again')
      }
      await rest(LET_GO_AGAIN_MS)
    }
  }

  function lose(id: RequestId): void {
    jobs.get(id)?.stop.abort(new ClaimLost('the request was aborted, or another worker took it over'))
  }

  await announce(sql, worker)
  const hear = {
    requests: (wanted: readonly Lane[]) => void pump(wanted),
    abort: (id: number) => lose(id as RequestId),
  }
  const listening = options.notices && (await listen(options.notices, hear))
  const attempt = (what: string, work: () => Promise<void>) => async () => {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, `${what} failed; trying again`)
    }
  }
  every(
    listening === undefined ? DEAF_POLL_MS : POLL_MS,
    timers.signal,
    attempt('looking for work', async () => {
      if (await isWorkWaiting(sql, lanes)) await pump(lanes)
    }),
  )
  const steadiness = createSteadiness(performance.now())
  const beat = async () => {
    for (const id of await renew(sql, worker, [...jobs.keys()])) lose(id)
    steadiness.touch(performance.now())
  }
  every(listening === undefined ? DEAF_BEAT_MS : BEAT_MS, timers.signal, attempt('saying that this worker lives', beat))
  every(
    TAKE_OVER_MS,
    timers.signal,
    attempt('looking for lost requests', async () => {
      // First, so that after an outage this worker does not take its own requests for lost.
      await beat()
      if (!steadiness.isSteady(performance.now())) return
      for (const id of await takeOver(sql, options.retentionMs)) {
        log.warn({ request_id: id }, 'took a request over from a lost worker')
      }
      isToCheck = true
      await pump([])
    }),
  )
  void pump(lanes)

  return {
    async stop(graceMs) {
      stopping = true
      // A claim that is under way is this worker's, and is finished or handed back like the others.
      await pumping
      const running = Promise.all([...jobs.values()].map((job) => job.done))
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, graceMs)
      await Promise.race([running, late.promise])
      clearTimeout(timer)
      for (const id of jobs.keys()) lose(id)
      await running
      timers.abort()
      await listening?.stop()
      await giveBack(sql, worker.id)
    },
  }
}
