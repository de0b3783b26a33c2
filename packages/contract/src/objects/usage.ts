import { z } from 'zod'
import { REQUEST_STATUSES } from '../domain/request.ts'
import type { UsageGroup } from '../domain/usage.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { schemaName } from '../lib/schema-name.ts'
import { date, kind } from './fields.ts'

/** What the rows of each grouping are keyed by. */
const KEYS = {
  day: { day: date('The day, UTC.') },
  endpoint: { endpoint: z.enum(ENDPOINTS.map(({ name }): string => name)).meta({ description: 'The endpoint.' }) },
  customer: {
    customer: z.string().nullable().meta({ description: 'The customer; null for requests without one.' }),
  },
  status: { status: z.enum(REQUEST_STATUSES).meta({ description: 'The status.' }) },
} satisfies Record<UsageGroup, z.ZodRawShape>

const sums = {
  requests: z.int().meta({ description: 'All requests, whatever became of them.' }),
  succeeded: z.int().meta({ description: 'Requests that succeeded.' }),
  failed: z.int().meta({ description: 'Requests that failed.' }),
  spent: z.string().meta({ description: 'What was charged: dollars with six decimals.', examples: ['1.250000'] }),
  spent_micro_usd: z.int().meta({ description: 'The same in millionths of a dollar.' }),
  source_bytes: z.int().meta({ description: 'Bytes downloaded.' }),
  result_bytes: z.int().meta({ description: 'Bytes of the files made.' }),
}

function groupedBy<const Group extends UsageGroup>(group: Group) {
  const name = `UsageBy${schemaName(group)}`
  const row = z
    .strictObject({ ...KEYS[group], ...sums })
    .meta({ id: `${name}Row`, description: `The sums of one ${group}.` })
  return z
    .strictObject({
      object: kind('usage'),
      from: date('First day, UTC.'),
      to: date('Last day, UTC.'),
      group_by: z.literal(group).meta({ description: 'What the rows are keyed by.' }),
      data: z.array(row).meta({ description: `A row for each ${group} that has requests, ascending.` }),
    })
    .meta({ id: name, description: `What requests came to, by ${group}.` })
}

/** Spec 2.6, told apart by what its rows are keyed by. */
export const usage = z
  .discriminatedUnion('group_by', [groupedBy('day'), groupedBy('endpoint'), groupedBy('customer'), groupedBy('status')])
  .meta({ id: 'Usage', description: 'What requests came to, by a group.' })

export type UsageBody = z.output<typeof usage>
