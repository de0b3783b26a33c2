import { z } from 'zod'
import { integer, money, timestamp } from '../objects/fields.ts'
import { mediaRequest } from '../objects/request.ts'
import { defineConsoleRoute, FOR_READERS } from './console-route.ts'

const overview = z.strictObject({
  credit: z.strictObject({ balance: money, held: money, available: money }),
  days: z.array(z.strictObject({ date: z.iso.date(), requests: z.int(), amount: money })),
  failures: z.array(z.strictObject({ code: z.string(), requests: z.int() })),
  recent: z.array(mediaRequest),
  steps: z.strictObject({ key_used: z.boolean(), first_request: z.boolean(), webhook_set: z.boolean() }),
})

export type OverviewBody = z.output<typeof overview>

export const getOverview = defineConsoleRoute({
  method: 'get',
  path: '/console/api/overview',
  ...FOR_READERS,
  responses: { 200: { schema: overview } },
})

const delivery = z.strictObject({
  attempt: z.int(),
  at: timestamp('Start time.'),
  duration_ms: z.int(),
  url: z.string(),
  status: z.int().nullable(),
  answer: z.string().nullable(),
  reason: z.string().nullable(),
})

const EVENT_STATUSES = ['pending', 'delivered', 'undelivered', 'unaddressed'] as const

const event = z.strictObject({
  object: z.literal('event'),
  id: z.string(),
  type: z.string(),
  account: z.int(),
  request: z.int(),
  status: z.enum(EVENT_STATUSES),
  url: z.string().nullable(),
  attempts: z.int(),
  next_attempt_at: timestamp('Time of the next attempt.').nullable(),
  created_at: timestamp('Time when the request finished.'),
})

export type ConsoleEventBody = z.output<typeof event>

export const eventPage = z.strictObject({ object: z.literal('list'), data: z.array(event), has_more: z.boolean() })

const page = {
  limit: integer(1, 100, 'Events per page.').default(20),
  after: z.string().max(100).optional().meta({ description: 'An event id; returns only older events.' }),
}

export const listEvents = defineConsoleRoute({
  method: 'get',
  path: '/console/api/events',
  ...FOR_READERS,
  query: z.object({
    ...page,
    status: z.enum(['undelivered', 'pending']).optional(),
    request_id: z.int().optional(),
  }),
  responses: { 200: { schema: eventPage } },
})

export const getEvent = defineConsoleRoute({
  method: 'get',
  path: '/console/api/events/{id}',
  ...FOR_READERS,
  responses: { 200: { schema: z.strictObject({ ...event.shape, deliveries: z.array(delivery), body: z.unknown() }) } },
})

export const resendEvent = defineConsoleRoute({
  method: 'post',
  path: '/console/api/events/{id}/resend',
  ...FOR_READERS,
  responses: { 202: { schema: event } },
})

export const getPreview = defineConsoleRoute({
  method: 'get',
  path: '/console/api/requests/{id}/preview',
  ...FOR_READERS,
  // Returns 204 without a thumbnail, because browsers log an error for each 404.
  responses: { 200: {}, 204: {} },
})

export const getSource = defineConsoleRoute({
  method: 'get',
  path: '/console/api/requests/{id}/source',
  ...FOR_READERS,
  responses: { 200: {} },
})

export const getUploadContent = defineConsoleRoute({
  method: 'get',
  path: '/console/api/uploads/{id}/content',
  ...FOR_READERS,
  responses: { 200: {} },
})
