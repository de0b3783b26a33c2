import { z } from 'zod'
import { MAX_OWN_LIMITS, TIERS } from '../../domain/limits.ts'
import { integerBetween, timestamp } from '../fields.ts'
import { money } from '../money.ts'
import { eventPage } from './activity.ts'
import { defineConsoleRoute, OPERATORS } from './console-route.ts'
import { email, lineOfText } from './settings.ts'

const BY_OPERATORS = { who: OPERATORS, ofAccount: false } as const

const ownLimit = (largest: number) => z.int().min(1).max(largest).nullable()

const ownLimits = z.strictObject({
  requests_per_minute: ownLimit(MAX_OWN_LIMITS.requestsPerMinute),
  concurrent_requests: ownLimit(MAX_OWN_LIMITS.concurrentRequests),
  max_source_bytes: ownLimit(MAX_OWN_LIMITS.maxSourceBytes),
})

/** An account as who runs the service sees it. `own_limits` are null where its tier's are in force. */
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
  limits: z.strictObject({
    requests_per_minute: z.int(),
    concurrent_requests: z.int(),
    max_source_bytes: z.int(),
  }),
  suspended: z.boolean(),
  created_at: timestamp('When it was opened.'),
})

export type OperatedAccountBody = z.output<typeof operatedAccount>

export const listAccounts = defineConsoleRoute({
  method: 'get',
  path: '/console/api/accounts',
  ...BY_OPERATORS,
  query: z.object({
    search: z.string().max(200).optional(),
    limit: integerBetween(1, 100, 'Accounts on a page.').default(50),
    after: z.int().optional().meta({ description: 'Only accounts with an id lower than this: older ones.' }),
  }),
  answers: { 200: { schema: z.strictObject({ data: z.array(operatedAccount), has_more: z.boolean() }) } },
})

export const createAccount = defineConsoleRoute({
  method: 'post',
  path: '/console/api/accounts',
  ...BY_OPERATORS,
  body: {
    schema: z.strictObject({ name: lineOfText(200), email: email.optional() }),
    example: { name: 'Ada Lovelace', email: 'ada@example.com' },
  },
  answers: {
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
  ...BY_OPERATORS,
  answers: { 200: { schema: operatedAccount } },
})

export const changeAccount = defineConsoleRoute({
  method: 'patch',
  path: '/console/api/accounts/{id}',
  ...BY_OPERATORS,
  body: {
    schema: z.strictObject({
      name: lineOfText(200).optional(),
      suspended: z.boolean().optional(),
      limits: ownLimits.partial().optional(),
    }),
    example: { suspended: true },
  },
  answers: { 200: { schema: operatedAccount } },
})

const dollars = z.string().max(20)

export const creditAccount = defineConsoleRoute({
  method: 'post',
  path: '/console/api/accounts/{id}/credit',
  ...BY_OPERATORS,
  body: {
    schema: z.strictObject({ amount: dollars, reference: lineOfText(200) }),
    example: { amount: '25.00', reference: 'invoice 7' },
  },
  answers: { 200: { schema: operatedAccount }, 201: { schema: operatedAccount } },
})

export const adjustAccount = defineConsoleRoute({
  method: 'post',
  path: '/console/api/accounts/{id}/adjustments',
  ...BY_OPERATORS,
  body: {
    schema: z.strictObject({ amount: dollars, reason: lineOfText(200) }),
    example: { amount: '-0.50', reason: 'charged twice on 3 November' },
  },
  answers: { 201: { schema: operatedAccount } },
})

const link = z.strictObject({ url: z.string(), expires_at: timestamp('Until when it works, once.') })

export const linkAccount = defineConsoleRoute({
  method: 'post',
  path: '/console/api/accounts/{id}/sign-in-links',
  ...BY_OPERATORS,
  answers: { 201: { schema: link } },
})

const movement = z.strictObject({
  id: z.int(),
  account: z.int(),
  kind: z.enum(['grant', 'purchase', 'charge', 'adjustment']),
  amount: money,
  request: z.int().nullable(),
  reference: z.string().nullable(),
  created_at: timestamp('When it was booked.'),
})

export const listLedger = defineConsoleRoute({
  method: 'get',
  path: '/console/api/ledger',
  ...BY_OPERATORS,
  query: z.object({
    account: z.int().optional(),
    limit: integerBetween(1, 100, 'Rows on a page.').default(50),
    after: z.int().optional().meta({ description: 'Only rows with an id lower than this: older ones.' }),
  }),
  answers: { 200: { schema: z.strictObject({ data: z.array(movement), has_more: z.boolean() }) } },
})

export const verifyLedger = defineConsoleRoute({
  method: 'post',
  path: '/console/api/ledger/verify',
  ...BY_OPERATORS,
  answers: {
    200: {
      schema: z.strictObject({
        agrees: z.boolean(),
        differences: z.array(z.record(z.string(), z.number())),
        mischarged: z.array(z.strictObject({ request: z.int(), price: money, charged: money })),
        overdrawn: z.array(z.strictObject({ account: z.int(), balance: money })),
      }),
    },
  },
})

export const getRevenue = defineConsoleRoute({
  method: 'get',
  path: '/console/api/revenue',
  ...BY_OPERATORS,
  query: z.object({ days: integerBetween(1, 92, 'Days up to today, UTC.').default(30) }),
  answers: {
    200: {
      schema: z.strictObject({
        data: z.array(
          z.strictObject({
            date: z.iso.date(),
            requests: z.int(),
            succeeded: z.int(),
            failed: z.int(),
            revenue: money,
            purchases: money,
          }),
        ),
      }),
    },
  },
})

const queued = z.strictObject({
  id: z.int(),
  account: z.int(),
  endpoint: z.string(),
  lane: z.string(),
  status: z.string(),
  attempt: z.int(),
  progress: z.int(),
  worker: z.string().nullable(),
  created_at: timestamp('When it was accepted.'),
  started_at: timestamp('When work on it began.').nullable(),
})

export const getQueue = defineConsoleRoute({
  method: 'get',
  path: '/console/api/queue',
  ...BY_OPERATORS,
  answers: {
    200: {
      schema: z.strictObject({
        lanes: z.array(
          z.strictObject({
            lane: z.string(),
            queued: z.int(),
            oldest_seconds: z.number(),
            running: z.int(),
          }),
        ),
        workers: z.array(
          z.strictObject({
            id: z.string(),
            host: z.string(),
            isolation: z.string().nullable(),
            alive: z.boolean(),
            running: z.int(),
            started_at: timestamp('When it started.'),
            seen_at: timestamp('When it last said that it lives.'),
          }),
        ),
        running: z.array(queued),
        retried: z.array(queued),
        waiting: z.array(queued),
      }),
    },
  },
})

export const listUndelivered = defineConsoleRoute({
  method: 'get',
  path: '/console/api/undelivered',
  ...BY_OPERATORS,
  query: z.object({ account: z.int().optional(), limit: integerBetween(1, 100, 'Events on a page.').default(50) }),
  answers: { 200: { schema: eventPage } },
})

export const resendAll = defineConsoleRoute({
  method: 'post',
  path: '/console/api/undelivered/resend-all',
  ...BY_OPERATORS,
  body: { schema: z.strictObject({ account: z.int().optional() }), example: { account: 1001 } },
  answers: { 202: { schema: z.strictObject({ resent: z.int(), left: z.boolean() }) } },
})

export const getHealth = defineConsoleRoute({
  method: 'get',
  path: '/console/api/health',
  ...BY_OPERATORS,
  answers: {
    200: {
      schema: z.strictObject({
        version: z.string(),
        ready: z.boolean(),
        checks: z.record(z.string(), z.boolean()),
        isolation: z.strictObject({ setting: z.string(), found: z.array(z.string()) }),
        workers_alive: z.int(),
        oldest_seconds: z.record(z.string(), z.number()),
        events_waiting: z.int(),
        events_overdue_seconds: z.number(),
      }),
    },
  },
})
