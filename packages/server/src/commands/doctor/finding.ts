/** The result of a check. `expected`: a warning with exit code 0, for example during a rotation of SECRET_KEY. */
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

/** A finding in JSON. `check` and `message` repeat `part` and `says` under the names of earlier versions. */
export const presentFinding = (finding: Finding) => ({ check: finding.part, message: finding.says, ...finding })

export const isProblem = (finding: Finding): boolean => finding.verdict !== 'good' && finding.expected !== true
