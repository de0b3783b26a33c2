export type DeliveryCounts = {
  delivered: number
  retried: number
  undelivered: number
  /** The attempt lost its lease or was interrupted by a stop, so the event is posted again. */
  repeated: number
  inFlight: number
}

export function createCounts(): DeliveryCounts {
  return { delivered: 0, retried: 0, undelivered: 0, repeated: 0, inFlight: 0 }
}
