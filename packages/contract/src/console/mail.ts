import { z } from 'zod'
import { defineConsoleRoute, FOR_ANYONE, FOR_OPERATORS } from './console-route.ts'
import { email, lineOfText } from './settings.ts'

const PERSON = {
  schema: z.strictObject({ name: lineOfText(200), email }),
  example: { name: 'Ada Lovelace', email: 'ada@example.com' },
}

/** Requests a sign-in link by email. The response never reveals whether an address has an account. */
export const requestSignInLink = defineConsoleRoute({
  method: 'post',
  path: '/console/api/sign-in-links',
  ...FOR_ANYONE,
  body: { schema: z.strictObject({ email }), example: { email: 'ada@example.com' } },
  responses: { 202: { schema: z.strictObject({ mailed: z.literal('if_known') }) } },
})

export const signUp = defineConsoleRoute({
  method: 'post',
  path: '/console/api/sign-up',
  ...FOR_ANYONE,
  body: PERSON,
  responses: { 202: { schema: z.strictObject({ mailed: z.literal('to_confirm') }) } },
})

export const inviteMember = defineConsoleRoute({
  method: 'post',
  path: '/console/api/invitations',
  ...FOR_OPERATORS,
  body: PERSON,
  responses: { 201: { schema: z.strictObject({ url: z.string(), expires_at: z.string(), mailed: z.boolean() }) } },
})
