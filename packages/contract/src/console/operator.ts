import { z } from 'zod'
import { MAX_OWN_LIMITS, TIERS } from '../domain/limits.ts'
import { limits } from '../objects/account.ts'
import { integer, money, timestamp } from '../objects/fields.ts'
import { defineConsoleRoute, FOR_OPERATORS } from './console-route.ts'
import { email, lineOfText } from './settings.ts'

const ownLimit = (largest: number) => z.int().min(1).max(largest).nullable()

const ownLimits = z.strictObject({
  requests_per_minute: ownLimit(MAX_OWN_LIMITS.requestsPerMinute),
  concurrent_requests: ownLimit(MAX_OWN_LIMITS.concurrentRequests),
  max_source_bytes: ownLimit(MAX_OWN_LIMITS.maxSourceBytes),
})

/** An account in the operator pages. If a field of `own_limits` is null, the limit of the account's tier applies. */
export const operatedAccount = z.strictObject({
  object: z.literal('account'),
  id: z.int(),
  name: z.string(),
  email: z.string(),
  tier: z.enum(TIERS),
  balance: money,
  held: money,
  available: money,
  open_requests: z.int(),
  webhook_url: z.string().nullable(),
  own_limits: ownLimits,
  limits,
  suspended: z.boolean(),
  created_at: timestamp('Creation time.'),
})

export type OperatedAccountBody = z.output<typeof operatedAccount>

export const listAccounts = defineConsoleRoute({
  method: 'get',
  path: '/console/api/accounts',
  ...FOR_OPERATORS,
  query: z.object({
    search: z.string().max(200).optional(),
    limit: integer(1, 100, 'Accounts per page.').default(50),
    after: z.int().optional().meta({ description: 'Returns only accounts with a lower id, which are older.' }),
  }),
  responses: { 200: { schema: z.strictObject({ data: z.array(operatedAccount), has_more: z.boolean() }) } },
})

export const createAccount = defineConsoleRoute({
  method: 'post',
  path: '/console/api/accounts',
  ...FOR_OPERATORS,
  body: {
    schema: z.strictObject({ name: lineOfText(200), email: email.optional() }),
    example: { name: 'Ada Lovelace', email: 'ada@example.com' },
  },
  responses: {
    201: {
      schema: z.strictObject({
        account: operatedAccount,
        live_key: z.string(),
        test_key: z.string(),
        webhook_secret: z.string(),
      }),
    },
  },
})

export const getOperatedAccount = defineConsoleRoute({
  method: 'get',
  path: '/console/api/accounts/{id}',
  ...FOR_OPERATORS,
  responses: { 200: { schema: operatedAccount } },
})

export const changeAccount = defineConsoleRoute({
  method: 'patch',
  path: '/console/api/accounts/{id}',
  ...FOR_OPERATORS,
  body: {
    schema: z.strictObject({
      name: lineOfText(200).optional(),
      suspended: z.boolean().optional(),
      limits: ownLimits.partial().optional(),
    }),
    example: { suspended: true },
  },
  responses: { 200: { schema: operatedAccount } },
})

const dollars = z.string().max(20)

export const creditAccount = defineConsoleRoute({
  method: 'post',
  path: '/console/api/accounts/{id}/credit',
  ...FOR_OPERATORS,
  body: {
    schema: z.strictObject({ amount: dollars, reference: lineOfText(200) }),
    example: { amount: '25.00', reference: 'invoice 7' },
  },
  responses: { 200: { schema: operatedAccount }, 201: { schema: operatedAccount } },
})

export const adjustAccount = defineConsoleRoute({
  method: 'post',
  path: '/console/api/accounts/{id}/adjustments',
  ...FOR_OPERATORS,
  body: {
    schema: z.strictObject({ amount: dollars, reason: lineOfText(200) }),
    example: { amount: '-0.50', reason: 'charged twice on 3 November' },
  },
  responses: { 201: { schema: operatedAccount } },
})

const link = z.strictObject({ url: z.string(), expires_at: timestamp('Expiration time. The link works once.') })

export const linkAccount = defineConsoleRoute({
  method: 'post',
  path: '/console/api/accounts/{id}/sign-in-links',
  ...FOR_OPERATORS,
  responses: { 201: { schema: link } },
})
