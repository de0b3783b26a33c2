import { z } from 'zod'
import { MAX_CUSTOMER_LENGTH, USAGE_DAYS } from '../domain/limits.ts'
import { USAGE_GROUPS } from '../domain/usage.ts'
import { text } from '../endpoints/common-fields.ts'
import { usage } from '../objects/usage.ts'
import { defineRoute } from '../route.ts'

const day = (description: string) => z.string().refine(isDate).meta({ format: 'date' }).optional().meta({ description })

/** Returns whether a text is a calendar date. PostgreSQL also accepts `infinity`, `now`, and `2026-1-1`. */
function isDate(value: string): boolean {
  const time = /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value
}

export const getUsage = defineRoute({
  operationId: 'getUsage',
  method: 'get',
  path: '/v1/usage',
  tag: 'Account',
  summary: 'Get usage',
  description: `Returns totals of the requests in the key's mode. The range includes both ends and at most ${USAGE_DAYS.maximum} days.`,
  key: true,
  query: z.object({
    from: day(`First day, UTC; ${USAGE_DAYS.default - 1} days ago by default.`),
    to: day('Last day, UTC; today by default.'),
    group_by: z.enum(USAGE_GROUPS).default('day').meta({ description: 'Grouping of the rows.' }),
    customer: text(MAX_CUSTOMER_LENGTH)
      .refine((value) => !value.includes('\u0000'), { error: 'must not contain NUL' })
      .optional()
      .meta({ description: 'Only requests of this customer.' }),
  }),
  responses: {
    200: {
      description: 'The sums.',
      schema: usage,
      example: {
        object: 'usage',
        from: '2026-10-23',
        to: '2026-11-21',
        group_by: 'day',
        data: [
          {
            day: '2026-11-20',
            requests: 120,
            succeeded: 117,
            failed: 2,
            spent: '0.234000',
            spent_micro_usd: 234_000,
            source_bytes: 220_704_480,
            result_bytes: 5_640_570,
          },
        ],
      },
    },
  },
  rejections: ['validation_failed'],
})
