import type { Sql } from '../../db/connection/connect.ts'
import type { LaneRow } from '../../db/metrics.ts'
import { countEvents, countLanes } from '../../db/metrics.ts'
import type { QueuedRow, WorkerRow } from '../../db/queue.ts'
import { listFront, listRunning, listWorkers } from '../../db/queue.ts'
import { LANES } from '../../domain/request.ts'

export type { QueuedRow, WorkerRow } from '../../db/queue.ts'

/** So much of each part is shown. */
const MOST_SHOWN = 100
const MOST_WAITING = 10

/** The queue as who runs the service sees it. */
export type Queue = {
  lanes: LaneRow[]
  workers: WorkerRow[]
  running: QueuedRow[]
  /** Open requests whose first attempt was lost: those that run, and those that wait again. */
  retried: QueuedRow[]
  /** What waits longest in each lane. */
  waiting: QueuedRow[]
}

/** Looks at the queue, through the indexes that claims go through. */
export async function queueOf(sql: Sql): Promise<Queue> {
  const [lanes, workers, running, requeued, waiting] = await Promise.all([
    countLanes(sql),
    listWorkers(sql),
    listRunning(sql, MOST_SHOWN),
    listFront(sql, LANES, { triedBefore: true, limit: MOST_SHOWN }),
    listFront(sql, LANES, { triedBefore: false, limit: MOST_WAITING }),
  ])
  return { lanes, workers, running, retried: [...running.filter(({ attempt }) => attempt > 1), ...requeued], waiting }
}

/** How the service does: its workers, its queue, and the events that wait. */
export async function healthOf(sql: Sql) {
  const [workers, lanes, events] = await Promise.all([listWorkers(sql), countLanes(sql), countEvents(sql)])
  return { workers: workers.filter(({ alive }) => alive), lanes, events }
}
