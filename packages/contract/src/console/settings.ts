import { z } from 'zod'
import { readEmailAddress } from '../domain/email-address.ts'
import { integer, timestamp } from '../objects/fields.ts'
import { defineConsoleRoute, FOR_OWNERS, FOR_READERS, OWNERS } from './console-route.ts'
import { keyRestrictions } from './key-restrictions.ts'

export const key = z.strictObject({
  id: z.int(),
  name: z.string(),
  livemode: z.boolean(),
  prefix: z.string(),
  last_four: z.string(),
  created_at: timestamp('Creation time.'),
  last_used_on: z.string().nullable(),
  revoked_at: timestamp('Time of revocation.').nullable(),
  restrictions: keyRestrictions.nullable(),
})

export type KeyBody = z.output<typeof key>

export const listKeys = defineConsoleRoute({
  method: 'get',
  path: '/console/api/keys',
  ...FOR_OWNERS,
  responses: { 200: { schema: z.strictObject({ data: z.array(key) }) } },
})

export const lineOfText = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'must not contain line breaks or other control characters' })

export const email = z
  .string()
  .trim()
  .max(254)
  .refine((text) => readEmailAddress(text) !== undefined, { error: 'must be an email address' })

export const createKey = defineConsoleRoute({
  method: 'post',
  path: '/console/api/keys',
  ...FOR_OWNERS,
  body: {
    schema: z.strictObject({ name: lineOfText(100).optional(), livemode: z.boolean(), ...keyRestrictions.shape }),
    example: { name: 'web shop', livemode: true },
  },
  responses: { 201: { schema: z.strictObject({ ...key.shape, secret: z.string() }) } },
})

export const revokeKey = defineConsoleRoute({
  method: 'delete',
  path: '/console/api/keys/{id}',
  ...FOR_OWNERS,
  responses: { 200: { schema: key } },
})

const webhook = z.strictObject({ url: z.string().nullable() })

export const getWebhook = defineConsoleRoute({
  method: 'get',
  path: '/console/api/webhook',
  ...FOR_READERS,
  responses: { 200: { schema: webhook } },
})

export const setWebhook = defineConsoleRoute({
  method: 'put',
  path: '/console/api/webhook',
  ...FOR_OWNERS,
  body: {
    schema: z.strictObject({ url: z.string().max(2048).nullable() }),
    example: { url: 'https://example.com/hooks/media' },
  },
  responses: { 200: { schema: webhook } },
})

export const testWebhook = defineConsoleRoute({
  method: 'post',
  path: '/console/api/webhook/test',
  ...FOR_OWNERS,
  responses: {
    200: {
      schema: z.strictObject({
        id: z.string(),
        url: z.string(),
        delivered: z.boolean(),
        status: z.int().nullable(),
        answer: z.string().nullable(),
        reason: z.string().nullable(),
        duration_ms: z.int(),
      }),
    },
  },
})

const secretInfo = z.strictObject({
  id: z.int(),
  created_at: timestamp('Creation time.'),
  expires_at: timestamp('End of its validity after a rotation.').nullable(),
})

export const listSecrets = defineConsoleRoute({
  method: 'get',
  path: '/console/api/webhook/secrets',
  ...FOR_OWNERS,
  responses: { 200: { schema: z.strictObject({ data: z.array(secretInfo) }) } },
})

export const revealSecret = defineConsoleRoute({
  method: 'post',
  path: '/console/api/webhook/secrets/reveal',
  ...FOR_OWNERS,
  responses: { 200: { schema: z.strictObject({ secret: z.string() }) } },
})

export const rollSecret = defineConsoleRoute({
  method: 'post',
  path: '/console/api/webhook/secrets/roll',
  ...FOR_OWNERS,
  body: {
    schema: z.strictObject({ overlap_hours: z.int().min(0).max(24).default(24) }),
    example: { overlap_hours: 24 },
  },
  responses: { 200: { schema: z.strictObject({ secret: z.string() }) } },
})

export const listAudit = defineConsoleRoute({
  method: 'get',
  path: '/console/api/audit',
  allowedSessions: OWNERS,
  ofAccount: false,
  query: z.object({
    limit: integer(1, 100, 'Rows per page.').default(50),
    after: z.int().optional().meta({ description: 'Returns only rows with a lower id, which are older.' }),
    account: z.int().optional().meta({ description: 'For operators: only rows of this account.' }),
  }),
  responses: {
    200: {
      schema: z.strictObject({
        data: z.array(
          z.strictObject({
            id: z.int(),
            at: timestamp('Time of the action.'),
            account: z.int().nullable(),
            session: z.int().nullable(),
            actor: z.string(),
            name: z.string().nullable(),
            client: z.string().nullable(),
            action: z.string(),
            subject: z.string().nullable(),
            detail: z.record(z.string(), z.unknown()),
          }),
        ),
        has_more: z.boolean(),
      }),
    },
  },
})
