import type { Usage } from '../../api/objects.ts'
import { textOf } from '../../components/text-of.ts'
import { text } from './text.ts'

export type UsageRow = Pick<
  Usage['data'][number],
  'requests' | 'succeeded' | 'failed' | 'spent_micro_usd' | 'source_bytes' | 'result_bytes'
> & { key: string }

/** Converts a usage report to rows. `key` is the day, endpoint, customer, or status of a row. */
export function rowsOf(usage: Usage): UsageRow[] {
  return usage.data.map((row) => {
    const keyed: Record<string, unknown> = row
    return { ...row, key: textOf(keyed[usage.group_by] ?? text.noKey) }
  })
}
