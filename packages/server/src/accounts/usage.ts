import { USAGE_DAYS } from '@mediamill/contract/domain/limits'

const utcDate = (moment: Date): string => moment.toISOString().slice(0, 10)

export function lastDays(now: Date): { from: string; to: string } {
  return { from: utcDate(new Date(now.getTime() - (USAGE_DAYS.default - 1) * 86_400_000)), to: utcDate(now) }
}
