import { z } from 'zod'
import { MAX_CUSTOMER_LENGTH, USAGE_DAYS } from '../domain/limits.ts'
import { USAGE_GROUPS } from '../domain/usage.ts'
import { text } from '../endpoints/common-fields.ts'
import { spanOf } from '../lib/moment.ts'
import { account } from '../objects/account.ts'
import { catalog } from '../objects/catalog.ts'
import { presentCatalog } from '../objects/present-catalog.ts'
import { usage } from '../objects/usage.ts'
import { resize } from '../operations/resize.ts'
import { defineRoute } from '../route.ts'

export const getAccount = defineRoute({
  operationId: 'getAccount',
  method: 'get',
  path: '/v1/account',
  tag: 'Account',
  summary: 'Get the account',
  description: 'Returns the account of the key, its balance, and the limits of the key.',
  key: true,
  responses: {
    200: {
      description: 'The account of the key.',
      schema: account,
      example: {
        object: 'account',
        id: 1001,
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        tier: 'paid',
        balance: { amount: '24.998000', currency: 'usd', micro_usd: 24_998_000 },
        held: { amount: '0.020000', currency: 'usd', micro_usd: 20_000 },
        available: { amount: '24.978000', currency: 'usd', micro_usd: 24_978_000 },
        webhook_url: 'https://example.com/hooks/media',
        livemode: true,
        limits: { requests_per_minute: 120, concurrent_requests: 10, max_source_bytes: 2_147_483_648 },
        suspended: false,
        created_at: '2026-11-01T08:00:00.000Z',
      },
    },
  },
  rejections: [],
})

const day = (description: string) => z.string().refine(isDate).meta({ format: 'date' }).optional().meta({ description })

/** Returns whether a text is a calendar date. PostgreSQL also accepts `infinity`, `now`, and `2026-1-1`. */
const isDate = (value: string) => value.length === '2026-06-01'.length && spanOf(value) !== undefined

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

export const listOperations = defineRoute({
  operationId: 'listOperations',
  method: 'get',
  path: '/v1/operations',
  tag: 'Account',
  summary: 'List the operations',
  description: 'Lists every operation by kind of file, with its parameters, their bounds, and their defaults.',
  key: true,
  responses: {
    200: {
      description: 'The catalog of operations. The example contains only `resize`.',
      schema: catalog,
      // The example has one operation. The reference lists all operations.
      example: presentCatalog([resize]),
    },
  },
  rejections: [],
})
