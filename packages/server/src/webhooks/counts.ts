/** Outcomes of this process's delivery attempts since its start, for metrics. */
export type DeliveryCounts = {
  /** The receiver returned a 2xx status. */
  delivered: number
  /** The attempt failed, and another one follows. */
  retried: number
  /** The last attempt failed. */
  undelivered: number
  /** The attempt lost its lease or was interrupted by a stop, so the event is posted again. */
  repeated: number
  /** Attempts that are running now. */
  inFlight: number
}

export function createCounts(): DeliveryCounts {
  return { delivered: 0, retried: 0, undelivered: 0, repeated: 0, inFlight: 0 }
}
