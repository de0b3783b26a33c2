/** How long a worker must have had the database without a gap before it may requeue other workers' requests. */
export const STEADY_MS = 2_500

/** Measures how long a worker has had the database without a gap. Times are in milliseconds of one clock. */
export type DatabaseUptime = {
  touch: (now: number) => void
  /** `false` if the database was unavailable recently, so that missing heartbeats do not show that a worker is lost. */
  isSteady: (now: number) => boolean
}

export function createDatabaseUptime(now: number): DatabaseUptime {
  let since = now
  let last = now
  return {
    touch(now) {
      if (now - last >= STEADY_MS) since = now
      last = now
    },
    isSteady: (now) => now - since >= STEADY_MS && now - last < STEADY_MS,
  }
}
