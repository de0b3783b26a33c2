import { LANES } from '@mediamill/contract/domain/request'
import type { Sql } from '../../db/connection/connect.ts'
import type { LaneRow } from '../../db/metrics.ts'
import { countEvents, countLanes } from '../../db/metrics.ts'
import type { PartCounts } from '../../db/parts/metrics.ts'
import { countParts } from '../../db/parts/metrics.ts'
import type { QueuedRow, WorkerRow } from '../../db/queue.ts'
import { listFront, listRunning, listWorkers } from '../../db/queue.ts'

export type { QueuedRow, WorkerRow } from '../../db/queue.ts'

/** So much of each part is shown. */
const MOST_SHOWN = 100
const MOST_WAITING = 10

/** The queue as who runs the service sees it. */
export type Queue = {
  lanes: LaneRow[]
  workers: WorkerRow[]
  parts: PartCounts
  running: QueuedRow[]
  /** Open requests whose first attempt was lost: those that run, and those that wait again. */
  retried: QueuedRow[]
  /** What waits longest in each lane. */
  waiting: QueuedRow[]
}

/** Looks at the queue, through the indexes that claims go through. */
export async function queueOf(sql: Sql): Promise<Queue> {
  const [lanes, workers, parts, running, requeued, waiting] = await Promise.all([
    countLanes(sql),
    listWorkers(sql),
    countParts(sql),
    listRunning(sql, MOST_SHOWN),
    listFront(sql, LANES, { triedBefore: true, limit: MOST_SHOWN }),
    listFront(sql, LANES, { triedBefore: false, limit: MOST_WAITING }),
  ])
  const retried = [...running.filter(({ attempt }) => attempt > 1), ...requeued]
  return { lanes, workers, parts, running, retried, waiting }
}

/** How the service does: its workers, its queue, and the events that wait. */
export async function healthOf(sql: Sql) {
  const [workers, lanes, events] = await Promise.all([listWorkers(sql), countLanes(sql), countEvents(sql)])
  return { workers: workers.filter(({ alive }) => alive), lanes, events }
}
