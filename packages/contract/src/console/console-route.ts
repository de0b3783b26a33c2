import type { z } from 'zod'

export const SESSION_KINDS = ['account', 'key', 'operator'] as const
export type SessionKind = (typeof SESSION_KINDS)[number]

export type ConsoleRoute = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: `/console/api/${string}`
  who: 'anyone' | readonly SessionKind[]
  /** Whether the route is for one account. Operators select it with `?account=1001`, or by their sign-in link. */
  ofAccount: boolean
  /** Whether `{id}` in the path is a request id. If so, `caller.wanted` contains the account's request with this id. */
  readsRequest?: true
  query?: z.ZodObject
  body?: { schema: z.ZodObject; example: Record<string, unknown> }
  responses: Readonly<Record<number, { schema?: z.ZodType }>>
}

export const defineConsoleRoute = <const Declared extends ConsoleRoute>(route: Declared): Declared => route

/** The values of `who`: every session, sessions that can change settings and read secrets, or only operators. */
export const EVERY_SESSION = SESSION_KINDS
export const OWNERS = ['account', 'operator'] as const satisfies readonly SessionKind[]
export const OPERATORS = ['operator'] as const satisfies readonly SessionKind[]
