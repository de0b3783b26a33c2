import type { z } from 'zod'

export const SESSION_KINDS = ['account', 'key', 'operator'] as const
type SessionKind = (typeof SESSION_KINDS)[number]

export type ConsoleRoute = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: `/console/api/${string}`
  allowedSessions: 'anyone' | readonly SessionKind[]
  /** Whether the route is for one account. Operators select the account with `?account=1001` or by a sign-in link. */
  ofAccount: boolean
  query?: z.ZodObject
  body?: { schema: z.ZodObject; example: Record<string, unknown> }
  responses: Readonly<Record<number, { schema?: z.ZodType }>>
}

export const defineConsoleRoute = <const Declared extends ConsoleRoute>(route: Declared): Declared => route

export const EVERY_SESSION = SESSION_KINDS
/** The sessions that can change settings and read secrets. */
export const OWNERS = ['account', 'operator'] as const satisfies readonly SessionKind[]

export const FOR_ANYONE = { allowedSessions: 'anyone', ofAccount: false } as const
export const FOR_OPERATORS = { allowedSessions: ['operator'], ofAccount: false } as const
export const FOR_READERS = { allowedSessions: EVERY_SESSION, ofAccount: true } as const
export const FOR_OWNERS = { allowedSessions: OWNERS, ofAccount: true } as const
