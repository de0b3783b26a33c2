import { LANES } from '@mediamill/contract/domain/request'
import type { Sql } from '../../db/connection/connect.ts'
import type { LaneRow } from '../../db/metrics.ts'
import { countEvents, countLanes } from '../../db/metrics.ts'
import type { QueuedRow, WorkerRow } from '../../db/queue.ts'
import { listFront, listRunning, listWorkers } from '../../db/queue.ts'
import type { SegmentCounts } from '../../db/segments/count-segments.ts'
import { countSegments } from '../../db/segments/count-segments.ts'

export type { QueuedRow, WorkerRow } from '../../db/queue.ts'

const MAX_SHOWN = 100
const MAX_WAITING = 10

export type Queue = {
  lanes: LaneRow[]
  workers: WorkerRow[]
  parts: SegmentCounts
  running: QueuedRow[]
  /** Open requests whose first attempt ended without a result, for example because the worker crashed. */
  retried: QueuedRow[]
  waiting: QueuedRow[]
}

/** Reads the state of the queue. Uses the same indexes as claims, so it stays fast if the queue is long. */
export async function queueOf(sql: Sql): Promise<Queue> {
  const [lanes, workers, parts, running, requeued, waiting] = await Promise.all([
    countLanes(sql),
    listWorkers(sql),
    countSegments(sql),
    listRunning(sql, MAX_SHOWN),
    listFront(sql, LANES, { triedBefore: true, limit: MAX_SHOWN }),
    listFront(sql, LANES, { triedBefore: false, limit: MAX_WAITING }),
  ])
  const retried = [...running.filter(({ attempt }) => attempt > 1), ...requeued]
  return { lanes, workers, parts, running, retried, waiting }
}

export async function healthOf(sql: Sql) {
  const [workers, lanes, events] = await Promise.all([listWorkers(sql), countLanes(sql), countEvents(sql)])
  return { workers: workers.filter(({ alive, role }) => alive && role !== 'maintenance'), lanes, events }
}
