/** A finding about one part of the machine. `remedy` is the way out, there unless all is well. */
export type Finding = { part: string; says: string } & (
  | { verdict: 'good' }
  | { verdict: 'warning' | 'fault'; remedy: string }
)

/** All is well with a part. */
export const good = (part: string, says: string): Finding => ({ part, verdict: 'good', says })

/** The service runs, and something of it is missing or at risk. */
export const warning = (part: string, says: string, remedy: string): Finding => ({
  part,
  verdict: 'warning',
  says,
  remedy,
})

/** The service does not start, or refuses its work. */
export const fault = (part: string, says: string, remedy: string): Finding => ({ part, verdict: 'fault', says, remedy })
