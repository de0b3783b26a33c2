/**
 * The time in touch with the database before a worker may call others lost. It is in milliseconds and without a gap:
 * every living worker finds a database that was away within that time, and says that it lives.
 */
export const STEADY_MS = 2_500

/** Knows how long a worker has been in touch with the database. All times are of one clock, in milliseconds. */
export type Steadiness = {
  /** The database has just answered. */
  touch: (now: number) => void
  /**
   * Whether others' silence is theirs: not when the database was away for all, since then nobody could say that he
   * lives, and work that is still running would be taken from everyone.
   */
  isSteady: (now: number) => boolean
}

/** Begins at the first touch. */
export function createSteadiness(now: number): Steadiness {
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
