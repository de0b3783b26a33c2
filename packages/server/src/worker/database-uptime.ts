/** How long a worker must have reached the database without a gap before it may requeue requests of other workers. */
export const STEADY_MS = 2_500

/** Measures how long a worker has reached the database without a gap. All times are of one clock, in milliseconds. */
export type DatabaseUptime = {
  touch: (now: number) => void
  /** `false` if the database was recently unavailable: a missing heartbeat then does not mean a lost worker. */
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
