import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Logger } from 'pino'
import type { Sql } from '../../db/connection/connect.ts'
import type { Work } from '../../queue/claim-loop.ts'
import { ClaimLoop } from '../../queue/claim-loop.ts'
import { notify, subscribe } from '../../queue/notifications.ts'
import type { SegmentClaim } from '../../requests/segments/queue.ts'
import {
  claimNextSegment,
  findLostSegments,
  isSegmentWaiting,
  requeueAllSegments,
  requeueOrEndSegment,
  requeueUnknownSegments,
} from '../../requests/segments/queue.ts'
import type { SegmentWatch } from '../../requests/segments/wait-for-segments.ts'
import { RENEW_MS, UNNOTIFIED_RENEW_MS } from '../request-loop.ts'
import type { SegmentOutcome } from './run-segment.ts'

const UNNOTIFIED_POLL_MS = 500

export type SegmentAttemptOutcome = SegmentOutcome | 'error'

export type SegmentLoopOptions = {
  sql: Sql
  notices: Sql | undefined
  workerId: string
  slots: number
  busy: () => number
  hasDiskSpace: () => boolean
  watch: SegmentWatch
  awaitedRequests: ReadonlySet<RequestId>
  work: (claim: SegmentClaim, signal: AbortSignal) => Promise<SegmentOutcome>
  onEnd: (outcome: SegmentAttemptOutcome) => void
  restMs?: number
  log: Logger
}

/**
 * Creates the loop that claims and runs segments. It leaves the last slot free for requests. If the worker runs no
 * segment, the loop also uses this slot for segments of the worker's own requests. Otherwise, a split video could
 * stall.
 */
export function createSegmentLoop(options: SegmentLoopOptions): ClaimLoop<SegmentClaim> {
  const { sql, notices, workerId, watch, work, onEnd, restMs, log } = options
  const loop: Work<SegmentClaim> = {
    name: 'segments',
    keyOf: ({ lease }) => lease.partId,
    claim: (running) => claimSegment(options, running),
    async run(claim, signal) {
      try {
        onEnd(await work(claim, signal))
        notify(sql, `segments:${claim.request.id}`)
      } catch (error) {
        onEnd(signal.aborted ? 'lost' : 'error')
        const names = { request_id: claim.request.id, segment: claim.number, attempt: claim.lease.attempt }
        if (!signal.aborted) log.error({ err: error, ...names }, 'segment attempt failed')
        throw error
      }
    },
    async requeue({ lease, request }) {
      await requeueOrEndSegment(sql, lease, restMs)
      notify(sql, `segments:${request.id}`)
    },
    async release() {
      await requeueAllSegments(sql, workerId)
    },
    renew: {
      intervalMs: notices === undefined ? UNNOTIFIED_RENEW_MS : RENEW_MS,
      leases: async (running) => (running.length === 0 ? [] : await findLostSegments(sql, workerId, idsOf(running))),
    },
    requeueUnknown: (running) => requeueUnknownSegments(sql, workerId, idsOf(running)),
    ...(notices === undefined
      ? { poll: { intervalMs: UNNOTIFIED_POLL_MS, isWaiting: () => isSegmentWaiting(sql) } }
      : {
          listen({ wake, lose }) {
            const queue = (queues: readonly string[]) => queues.includes('segments') && wake()
            const abort = (ids: readonly string[]) => lose(({ request }) => ids.includes(String(request.id)))
            const segments = (ids: readonly string[]) => watch.notify(ids.map((id) => Number(id) as RequestId))
            return subscribe(notices, { queue, abort, segments }, wake)
          },
        }),
  }
  return new ClaimLoop(loop, { log })
}

async function claimSegment(
  { sql, workerId, slots, busy, hasDiskSpace, awaitedRequests }: SegmentLoopOptions,
  running: readonly SegmentClaim[],
): Promise<SegmentClaim | undefined> {
  if (!hasDiskSpace()) return undefined
  const claimed = busy() < Math.max(1, slots - 1) ? await claimNextSegment(sql, workerId) : undefined
  if (claimed !== undefined || running.length > 0 || awaitedRequests.size === 0) return claimed
  return await claimNextSegment(sql, workerId, [...awaitedRequests])
}

const idsOf = (claims: readonly SegmentClaim[]): number[] => claims.map(({ lease }) => lease.partId)
