import { z } from 'zod'
import { REQUEST_STATUSES } from '../domain/request.ts'
import type { UsageGroup } from '../domain/usage.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { schemaName } from '../lib/schema-name.ts'
import { date, kind } from './fields.ts'

const KEYS = {
  day: { day: date('Day, UTC.') },
  endpoint: { endpoint: z.enum(ENDPOINTS.map(({ name }): string => name)).meta({ description: 'The endpoint.' }) },
  customer: {
    customer: z.string().nullable().meta({ description: 'Customer; null for requests without a customer.' }),
  },
  status: { status: z.enum(REQUEST_STATUSES).meta({ description: 'The status.' }) },
} satisfies Record<UsageGroup, z.ZodRawShape>

const sums = {
  requests: z.int().meta({ description: 'All requests in any status.' }),
  succeeded: z.int().meta({ description: 'Requests that succeeded.' }),
  failed: z.int().meta({ description: 'Requests that failed.' }),
  spent: z.string().meta({ description: 'Charge in dollars with six decimals.', examples: ['1.250000'] }),
  spent_micro_usd: z.int().meta({ description: 'Charge in millionths of a dollar.' }),
  source_bytes: z.int().meta({ description: 'Bytes downloaded.' }),
  result_bytes: z.int().meta({ description: 'Size of the resulting files in bytes.' }),
}

function groupedBy<const Group extends UsageGroup>(group: Group) {
  const name = `UsageBy${schemaName(group)}`
  const row = z
    .strictObject({ ...KEYS[group], ...sums })
    .meta({ id: `${name}Row`, description: `Totals of one ${group}.` })
  return z
    .strictObject({
      object: kind('usage'),
      from: date('First day, UTC.'),
      to: date('Last day, UTC.'),
      group_by: z.literal(group).meta({ description: 'Grouping of the rows.' }),
      data: z.array(row).meta({ description: `A row for each ${group} with requests, ascending.` }),
    })
    .meta({ id: name, description: `Usage by ${group}.` })
}

export const usage = z
  .discriminatedUnion('group_by', [groupedBy('day'), groupedBy('endpoint'), groupedBy('customer'), groupedBy('status')])
  .meta({ id: 'Usage', description: 'Usage by a grouping.' })

export type UsageBody = z.output<typeof usage>
