import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Sql } from '../db/connect.ts'
import type { RequestId } from '../domain/ids.ts'
import type { Lane } from '../domain/request.ts'
import { type Claim, claim, giveBack, letGo, renew, takeOver } from '../requests/claim.ts'
import { listen } from '../requests/notices.ts'
import { every } from './every.ts'

/** How often a worker looks for work that no notice told it of, says that it lives, and looks for the dead. */
const POLL_MS = 500
const BEAT_MS = 1_000
const TAKE_OVER_MS = 2_000
const RETRY_MS = 1_000

export type LaneOptions = {
  lane: Lane
  /** Requests of the lane that this worker holds at once: those that download, wait, are processed and stored. */
  places: number
  /** Whether one more could start soon: while engines are behind, requests are left for other workers. */
  hasRoom: () => boolean
}

export type WorkerOptions = {
  sql: Sql
  lanes: LaneOptions[]
  retentionMs: number
  /** Carries a request through to its end in the database. Rejects with the signal's reason when it was stopped. */
  work: (claim: Claim, signal: AbortSignal) => Promise<void>
  log: Logger
  /** How long a request whose attempt broke off waits, doubled with every attempt; 1 s unless given. */
  retryMs?: number
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
  const { sql, log, retryMs = RETRY_MS } = options
  const worker = { id: randomUUID(), host: hostname() }
  const jobs = new Map<RequestId, Job>()
  const timers = new AbortController()
  let stopping = false
  let pumping = false
  let again = false
  /** Whether requests may wait for want of room here. */
  let isFull = false

  /** Takes what there is room for; notices that come meanwhile make it look once more. */
  async function pump(): Promise<void> {
    again = true
    if (pumping) return
    pumping = true
    try {
      while (again && !stopping) {
        again = false
        isFull = false
        for (const lane of options.lanes) await fill(lane)
      }
    } catch (error) {
      log.error({ err: error }, 'claiming failed; trying again')
    } finally {
      pumping = false
    }
  }

  async function fill(options: LaneOptions): Promise<void> {
    while (!stopping && countOf(options.lane) < options.places && options.hasRoom()) {
      const except = fullAccounts(options)
      if (except.length > 0) isFull = true
      const claimed = await claim(sql, worker.id, options.lane, except)
      if (claimed === undefined) return
      begin(claimed, options.lane)
      if (!claimed.more) return
    }
    isFull = true
  }

  const countOf = (lane: Lane) => [...jobs.values()].filter((job) => job.lane === lane).length

  /** Accounts that hold half of a lane's places here: one account never holds them all (decisions 14). */
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
    const stop = new AbortController()
    const done = carry(claimed, stop.signal).finally(() => {
      jobs.delete(id)
      // With room to spare there was nothing left to claim; a notice says when there is.
      if (isFull) void pump()
    })
    jobs.set(id, { claim: claimed, lane, stop, done })
  }

  /** Works on a request to its end, or lets go of it for another attempt when something of ours broke. */
  async function carry(claimed: Claim, signal: AbortSignal): Promise<void> {
    try {
      await options.work(claimed, signal)
    } catch (error) {
      if (signal.aborted) return
      const { id, attempt } = claimed.held
      log.error({ err: error, request_id: id, attempt }, 'an attempt broke off; the request is tried again')
      await untilDone(retryMs * 2 ** attempt, signal, () => letGo(sql, claimed.held, options.retentionMs))
      isFull = true
    }
  }

  /** Tries until it is done, also while the database is away; a lost request is nothing to let go of. */
  async function untilDone(delayMs: number, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await delay(delayMs, undefined, { signal }).catch(() => undefined)
      try {
        return await act()
      } catch (error) {
        log.error({ err: error }, 'the database is away; trying again')
      }
    }
  }

  function lose(id: RequestId): void {
    jobs.get(id)?.stop.abort(new ClaimLost('the request was aborted, or another worker took it over'))
  }

  await renew(sql, worker, [])
  const notices = await listen(sql, { requests: () => void pump(), abort: (id) => lose(id as RequestId) })
  const attempt = (what: string, work: () => Promise<void>) => async () => {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, `${what} failed; trying again`)
    }
  }
  every(POLL_MS, timers.signal, pump)
  every(
    BEAT_MS,
    timers.signal,
    attempt('saying that this worker lives', async () => {
      for (const id of await renew(sql, worker, [...jobs.keys()])) lose(id)
    }),
  )
  every(
    TAKE_OVER_MS,
    timers.signal,
    attempt('looking for lost requests', async () => {
      const freed = await takeOver(sql, options.retentionMs)
      if (freed > 0) log.warn({ requests: freed }, 'took over requests of a lost worker')
    }),
  )
  void pump()

  return {
    async stop(graceMs) {
      stopping = true
      const running = Promise.all([...jobs.values()].map((job) => job.done))
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, graceMs)
      await Promise.race([running, late.promise])
      clearTimeout(timer)
      for (const id of jobs.keys()) lose(id)
      await running
      timers.abort()
      await notices.stop()
      await giveBack(sql, worker.id)
    },
  }
}
