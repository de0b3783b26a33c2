import { USAGE_DAYS } from '@mediamill/contract/domain/limits'
import { DAY_MS, dayOf } from '@mediamill/contract/lib/moment'

export function lastDays(now: Date): { from: string; to: string } {
  return { from: dayOf(now.getTime() - (USAGE_DAYS.default - 1) * DAY_MS), to: dayOf(now) }
}
