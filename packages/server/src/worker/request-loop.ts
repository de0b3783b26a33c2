import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Lane } from '@mediamill/contract/domain/request'
import { UnsupportedWork } from '@mediamill/contract/endpoints/work'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import { versionText } from '../lib/program-version.ts'
import { every } from '../lib/time/every.ts'
import { pause } from '../lib/time/retry.ts'
import type { Work } from '../queue/claim-loop.ts'
import { ClaimLoop } from '../queue/claim-loop.ts'
import { logErrors } from '../queue/log-errors.ts'
import { subscribe } from '../queue/notifications.ts'
import type { Claim, LivingWorker } from '../requests/claim.ts'
import {
  announce,
  canRetry,
  checkForWork,
  isWorkWaiting,
  renew,
  requeueAll,
  requeueOrFail,
  requeueUncounted,
  requeueUnknown,
  takeOver,
} from '../requests/claim.ts'
import { traceField } from '../telemetry/trace.ts'
import type { DatabaseUptime } from './database-uptime.ts'
import { createDatabaseUptime } from './database-uptime.ts'
import type { LaneSlots } from './lane-claims.ts'
import { LaneClaims } from './lane-claims.ts'

/** How often a worker renews the leases of its running jobs. */
export const RENEW_MS = 1_000
/** The intervals without notifications. They are short, because an aborted job must stop within 1 s. */
const UNNOTIFIED_POLL_MS = 100
export const UNNOTIFIED_RENEW_MS = 400

/** How often a worker renews its heartbeat, and checks for requests and lost workers, even if it is idle. */
const CHECK_MS = 1_500

/** The pause after a failed attempt. During the pause, the cause may disappear: for example, a full disk gets space. */
const REST_MS = 3_000

type RequestLoopOptions = {
  sql: Sql
  notices: Sql | undefined
  /** Without lanes, the worker only requeues the requests of lost workers. */
  lanes: LaneSlots[]
  id?: string
  /** The number of video slots. Set only if the worker processes segments. */
  videoSlots?: number | undefined
  retentionMs: number
  isolation?: string
  work: (claim: Claim, signal: AbortSignal) => Promise<void>
  log: Logger
  restMs?: number
  /** Called when an operator drains this worker. Called again at each check until the worker stops. */
  onDrain?: () => void
}

export type RequestLoop = {
  drain: () => Promise<void>
  stop: (graceMs: number, meanwhile?: Promise<unknown>) => Promise<void>
}

/** Starts the loop that claims and runs requests. If the database is unavailable, waits for it. */
export async function startRequestLoop(options: RequestLoopOptions): Promise<RequestLoop> {
  const { sql, lanes, id = randomUUID(), isolation, videoSlots, log } = options
  const context = {
    ...options,
    worker: {
      id,
      host: hostname(),
      pid: process.pid,
      isolation,
      videoSlots,
      version: versionText(),
      role: lanes.length === 0 ? ('maintenance' as const) : ('jobs' as const),
    },
    claims: new LaneClaims(sql, id, lanes),
    uptime: createDatabaseUptime(performance.now()),
    stopped: new AbortController(),
  }
  await announce(sql, context.worker)
  const loop = await new ClaimLoop(requestWork(context), { log }).start()
  const check = () => checkRequests(context, loop)
  every(CHECK_MS, context.stopped.signal, logErrors(log, 'checking for lost requests', check))
  return loop
}

type Context = RequestLoopOptions & {
  worker: LivingWorker
  claims: LaneClaims
  uptime: DatabaseUptime
  stopped: AbortController
}

function requestWork(context: Context): Work<Claim> {
  const { sql, notices, lanes, retentionMs, worker, claims, uptime, stopped, log } = context
  const names = namesOf(lanes)
  return {
    name: 'requests',
    keyOf: ({ lease }) => lease.id,
    claim: (running) => claims.claim(running),
    run: (claim, signal) => runAttempt(context, claim, signal),
    async requeue({ lease, lane }, error) {
      if (error instanceof UnsupportedWork) {
        claims.skip(lease.id)
        await requeueUncounted(sql, lease)
      } else {
        await requeueOrFail(sql, lease, retentionMs)
      }
      claims.markDue([lane])
    },
    async release() {
      stopped.abort()
      await requeueAll(sql, worker.id)
    },
    renew: {
      intervalMs: notices === undefined ? UNNOTIFIED_RENEW_MS : RENEW_MS,
      async leases(running) {
        const lost = await renew(sql, worker, idsOf(running))
        uptime.touch(performance.now())
        return lost
      },
    },
    async requeueUnknown(running) {
      const requeued = await requeueUnknown(sql, worker.id, idsOf(running))
      for (const id of requeued)
        log.warn({ request_id: id }, 'database connection lost during a claim; request requeued')
      if (requeued.length > 0) claims.markDue(names)
    },
    // With notifications, `checkRequests` finds requests whose notification was lost.
    ...(notices === undefined &&
      names.length > 0 && {
        poll: {
          intervalMs: UNNOTIFIED_POLL_MS,
          async isWaiting() {
            if (!(await isWorkWaiting(sql, names))) return false
            claims.markDue(names)
            return true
          },
        },
      }),
    ...(notices !== undefined && {
      listen({ wake, lose }) {
        const wakeFor = (queues: readonly string[]) => {
          claims.markDue(names.filter((lane) => queues.includes(lane)))
          wake()
        }
        const abort = (ids: readonly string[]) => lose(({ lease }) => ids.includes(String(lease.id)))
        return subscribe(notices, { queue: wakeFor, abort }, () => wakeFor(names))
      },
    }),
  }
}

async function runAttempt({ work, restMs = REST_MS, log }: Context, claim: Claim, signal: AbortSignal): Promise<void> {
  try {
    await work(claim, signal)
  } catch (error) {
    if (signal.aborted) throw error
    const { lease, trace } = claim
    const fields = { err: error, request_id: lease.id, attempt: lease.attempt, ...traceField(trace) }
    if (error instanceof UnsupportedWork) {
      log.warn(fields, 'request from a newer version skipped')
    } else {
      log.error(fields, 'attempt stopped by an unexpected error')
      // During the pause, the worker keeps the slot and the lease, so that no other worker claims the request.
      if (canRetry(lease)) await pause(restMs, signal)
    }
    throw error
  }
}

async function checkRequests(context: Context, loop: ClaimLoop<Claim>): Promise<void> {
  const { sql, lanes, worker, claims, uptime, onDrain } = context
  const names = namesOf(lanes)
  // Renew the leases first. After an outage, this worker's own requests would otherwise count as lost.
  await loop.renew()
  const found = await checkForWork(sql, worker.id, idsOf(loop.running), names)
  if (found.isDraining) onDrain?.()
  const hasTaken = found.isLost && uptime.isSteady(performance.now()) && (await takeOverLost(context))
  if (!hasTaken && !found.isWaiting && !found.isUnknown) return
  claims.markDue(names)
  if (found.isUnknown) await loop.recover()
  else await loop.claimNow()
}

async function takeOverLost({ sql, retentionMs, log }: Context): Promise<boolean> {
  const taken = await takeOver(sql, retentionMs)
  for (const id of taken) log.warn({ request_id: id }, 'worker lost; request requeued')
  return taken.length > 0
}

const idsOf = (claims: readonly Claim[]): RequestId[] => claims.map(({ lease }) => lease.id)

const namesOf = (lanes: readonly LaneSlots[]): Lane[] => lanes.map(({ lane }) => lane)
