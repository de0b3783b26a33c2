/** The outcomes of attempts in this process since it started, for its metrics. */
export type DeliveryCounts = {
  /** Answered with a 2xx status. */
  delivered: number
  /** Failed, with another attempt to follow. */
  retried: number
  /** Failed for the last time. */
  undelivered: number
  /** Posted, and lost to another process or cut short by a stop: posted again. */
  repeated: number
  /** On their way now. */
  inFlight: number
}

export function createCounts(): DeliveryCounts {
  return { delivered: 0, retried: 0, undelivered: 0, repeated: 0, inFlight: 0 }
}
