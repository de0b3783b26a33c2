import type { Usage } from '../../api/objects.ts'
import { textOf } from '../../components/text-of.ts'

export type UsageRow = Pick<
  Usage['data'][number],
  'requests' | 'succeeded' | 'failed' | 'spent' | 'spent_micro_usd' | 'source_bytes' | 'result_bytes'
> & { key: string }

/** The rows of any grouping, with what each is keyed by under one name. */
export function rowsOf(usage: Usage): UsageRow[] {
  return usage.data.map((row) => {
    const keyed: Record<string, unknown> = row
    return { ...row, key: textOf(keyed[usage.group_by] ?? '(none)') }
  })
}
