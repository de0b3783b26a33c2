export type Finding = { part: string; says: string } & (
  | { verdict: 'good' }
  | { verdict: 'warning' | 'fault'; remedy: string }
)

export const good = (part: string, says: string): Finding => ({ part, verdict: 'good', says })

export const warning = (part: string, says: string, remedy: string): Finding => ({
  part,
  verdict: 'warning',
  says,
  remedy,
})

export const fault = (part: string, says: string, remedy: string): Finding => ({ part, verdict: 'fault', says, remedy })
