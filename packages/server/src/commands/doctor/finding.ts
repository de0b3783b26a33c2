/** The result of a check. `expected`: a documented procedure, such as a rotation of SECRET_KEY, explains it. */
export type Finding = { part: string; says: string } & (
  | { verdict: 'good' }
  | { verdict: 'warning' | 'fault'; remedy: string; expected?: true }
)

export const good = (part: string, says: string): Finding => ({ part, verdict: 'good', says })

export const warning = (part: string, says: string, remedy: string): Finding => ({
  part,
  verdict: 'warning',
  says,
  remedy,
})

export const fault = (part: string, says: string, remedy: string): Finding => ({ part, verdict: 'fault', says, remedy })

/** Returns whether a finding is not good, and no documented procedure explains it. */
export const isProblem = (finding: Finding): boolean => finding.verdict !== 'good' && finding.expected !== true
