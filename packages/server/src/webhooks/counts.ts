export type DeliveryCounts = {
  delivered: number
  retried: number
  undelivered: number
  /** Attempts that lost their lease, failed unexpectedly, or were interrupted. Their events are sent again. */
  repeated: number
  inFlight: number
}

export function createCounts(): DeliveryCounts {
  return { delivered: 0, retried: 0, undelivered: 0, repeated: 0, inFlight: 0 }
}
