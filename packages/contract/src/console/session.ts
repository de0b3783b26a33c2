import { z } from 'zod'
import { account } from '../objects/account.ts'
import { kind, timestamp } from '../objects/fields.ts'
import { defineConsoleRoute, EVERY_SESSION, FOR_ANYONE, OWNERS, SESSION_KINDS } from './console-route.ts'

export const service = z.strictObject({
  version: z.string(),
  base_url: z.string(),
  buy_credit: z.boolean(),
  mail: z.boolean(),
  sign_up: z.enum(['off', 'invite', 'open']),
})

const session = z.strictObject({
  object: kind('session'),
  id: z.int(),
  kind: z.enum(SESSION_KINDS),
  account: account.nullable(),
  livemode: z.boolean().nullable(),
  service,
})

export type ServiceBody = z.output<typeof service>
export type SessionBody = z.output<typeof session>

export const getService = defineConsoleRoute({
  method: 'get',
  path: '/console/api/service',
  ...FOR_ANYONE,
  responses: { 200: { schema: service } },
})

export const getSession = defineConsoleRoute({
  method: 'get',
  path: '/console/api/session',
  allowedSessions: EVERY_SESSION,
  ofAccount: false,
  responses: { 200: { schema: session } },
})

/** Returns the session of this browser, or `null`. It returns no 401, because browsers log an error for each 401. */
export const currentSession = defineConsoleRoute({
  method: 'get',
  path: '/console/api/session/current',
  ...FOR_ANYONE,
  responses: { 200: { schema: z.strictObject({ session: session.nullable() }) } },
})

export const openSession = defineConsoleRoute({
  method: 'post',
  path: '/console/api/session',
  ...FOR_ANYONE,
  body: {
    schema: z.strictObject({ token: z.string().optional(), api_key: z.string().optional() }),
    example: { token: 'the text after #token= of a sign-in link' },
  },
  responses: { 201: { schema: session } },
})

export const checkLink = defineConsoleRoute({
  method: 'post',
  path: '/console/api/session/check',
  ...FOR_ANYONE,
  body: {
    schema: z.strictObject({ token: z.string() }),
    example: { token: 'the text after #token= of a sign-in link' },
  },
  responses: {
    200: {
      schema: z.strictObject({
        kind: z.enum(['account', 'operator', 'sign_up']),
        account: z.strictObject({ id: z.int(), name: z.string() }).nullable(),
        name: z.string().nullable(),
        email: z.string().nullable(),
      }),
    },
  },
})

export const closeSession = defineConsoleRoute({
  method: 'delete',
  path: '/console/api/session',
  allowedSessions: EVERY_SESSION,
  ofAccount: false,
  responses: { 204: {} },
})

export const listSessions = defineConsoleRoute({
  method: 'get',
  path: '/console/api/sessions',
  allowedSessions: OWNERS,
  ofAccount: false,
  responses: {
    200: {
      schema: z.strictObject({
        data: z.array(
          z.strictObject({
            id: z.int(),
            kind: z.enum(SESSION_KINDS),
            name: z.string().nullable(),
            client: z.string().nullable(),
            created_at: timestamp('Creation time.'),
            last_used_at: timestamp('Time of last use, to the minute.'),
            user_agent: z.string(),
            current: z.boolean(),
          }),
        ),
      }),
    },
  },
})

export const endSession = defineConsoleRoute({
  method: 'delete',
  path: '/console/api/sessions/{id}',
  allowedSessions: OWNERS,
  ofAccount: false,
  responses: { 204: {} },
})
