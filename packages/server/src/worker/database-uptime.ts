/** How long a worker must reach the database without a gap before it may requeue requests of other workers. */
export const STEADY_MS = 2_500

export type DatabaseUptime = {
  touch: (now: number) => void
  /** If the database was recently unavailable, a missing heartbeat does not mean that a worker is lost. */
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
