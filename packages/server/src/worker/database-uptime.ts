/** How long a worker must reach the database without a gap before it may requeue requests of other workers. */
export const STEADY_MS = 2_500

export type DatabaseUptime = {
  touch: (now: number) => void
  /** Returns whether the database had no recent gap. After a gap, a missing heartbeat does not mean a lost worker. */
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
