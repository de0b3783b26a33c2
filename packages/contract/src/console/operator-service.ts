import { z } from 'zod'
import { integer, money, timestamp } from '../objects/fields.ts'
import { eventPage } from './activity.ts'
import { defineConsoleRoute, FOR_OPERATORS } from './console-route.ts'

const movement = z.strictObject({
  id: z.int(),
  account: z.int(),
  kind: z.enum(['grant', 'purchase', 'charge', 'adjustment']),
  amount: money,
  request: z.int().nullable(),
  reference: z.string().nullable(),
  created_at: timestamp('Booking time.'),
})

export const listLedger = defineConsoleRoute({
  method: 'get',
  path: '/console/api/ledger',
  ...FOR_OPERATORS,
  query: z.object({
    account: z.int().optional(),
    limit: integer(1, 100, 'Rows per page.').default(50),
    after: z.int().optional().meta({ description: 'Returns only rows with a lower id, which are older.' }),
  }),
  responses: { 200: { schema: z.strictObject({ data: z.array(movement), has_more: z.boolean() }) } },
})

export const verifyLedger = defineConsoleRoute({
  method: 'post',
  path: '/console/api/ledger/verify',
  ...FOR_OPERATORS,
  responses: {
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
  ...FOR_OPERATORS,
  query: z.object({ days: integer(1, 92, 'Number of days up to today, UTC.').default(30) }),
  responses: {
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
  created_at: timestamp('Time of acceptance.'),
  started_at: timestamp('Time when processing started.').nullable(),
  parts: z.strictObject({ total: z.int(), made: z.int() }).nullable(),
})

export const getQueue = defineConsoleRoute({
  method: 'get',
  path: '/console/api/queue',
  ...FOR_OPERATORS,
  responses: {
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
            pid: z.int().nullable(),
            isolation: z.string().nullable(),
            version: z.string().nullable(),
            role: z.enum(['jobs', 'maintenance']).nullable(),
            alive: z.boolean(),
            running: z.int(),
            parts: z.int(),
            started_at: timestamp('Start time.'),
            seen_at: timestamp('Time of the last heartbeat.'),
            draining_at: timestamp('Time of mediamill worker drain.').nullable(),
          }),
        ),
        parts: z.strictObject({
          videos: z.int(),
          workers: z.int(),
          waiting: z.int(),
          running: z.int(),
          done: z.int(),
          oldest_seconds: z.number(),
        }),
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
  ...FOR_OPERATORS,
  query: z.object({ account: z.int().optional(), limit: integer(1, 100, 'Events per page.').default(50) }),
  responses: { 200: { schema: eventPage } },
})

export const resendAll = defineConsoleRoute({
  method: 'post',
  path: '/console/api/undelivered/resend-all',
  ...FOR_OPERATORS,
  body: { schema: z.strictObject({ account: z.int().optional() }), example: { account: 1001 } },
  responses: { 202: { schema: z.strictObject({ resent: z.int(), left: z.boolean() }) } },
})

export const getHealth = defineConsoleRoute({
  method: 'get',
  path: '/console/api/health',
  ...FOR_OPERATORS,
  responses: {
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
