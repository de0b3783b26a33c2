/** The result of a check. `expected`: a warning with exit code 0, for example during a rotation of SECRET_KEY. */
export type Finding = { part: string; message: string } & (
  | { verdict: 'good' }
  | { verdict: 'warning' | 'fault'; remedy: string; expected?: true }
)

export const good = (part: string, message: string): Finding => ({ part, verdict: 'good', message })

export const warning = (part: string, message: string, remedy: string): Finding => ({
  part,
  verdict: 'warning',
  message,
  remedy,
})

export const fault = (part: string, message: string, remedy: string): Finding => ({
  part,
  verdict: 'fault',
  message,
  remedy,
})

/** A finding in JSON. `check` and `says` repeat `part` and `message` under the names of earlier versions. */
export const presentFinding = (finding: Finding) => ({ check: finding.part, says: finding.message, ...finding })

export const isProblem = (finding: Finding): boolean => finding.verdict !== 'good' && finding.expected !== true
