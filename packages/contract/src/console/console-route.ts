import type { z } from 'zod'

/** How somebody is signed in. To an account, with an API key of one, or as who runs the service (rulings 20). */
export const SESSION_KINDS = ['account', 'key', 'operator'] as const
export type SessionKind = (typeof SESSION_KINDS)[number]

/** One route of the developer area. It is served below `/console/api`, and is no part of the interface that is promised. */
export type ConsoleRoute = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: `/console/api/${string}`
  /** Which sessions may call it; `anyone` needs none. */
  who: 'anyone' | readonly SessionKind[]
  /** Whether it is of one account: an operator then names it, `?account=1001`, unless the link did. */
  ofAccount: boolean
  /** Whether `{id}` is a request of the account that is read before: `caller.wanted`. */
  readsRequest?: true
  query?: z.ZodObject
  body?: { schema: z.ZodObject; example: Record<string, unknown> }
  /** A status without a schema has no JSON body. */
  answers: Readonly<Record<number, { schema?: z.ZodType }>>
}

/** Declares a route of the developer area; its types are kept for its handler. */
export const defineConsoleRoute = <const Declared extends ConsoleRoute>(route: Declared): Declared => route

/** Everybody who is signed in. Those who may change settings and see secrets; and who runs the service. */
export const EVERY_SESSION = SESSION_KINDS
export const OWNERS = ['account', 'operator'] as const satisfies readonly SessionKind[]
export const OPERATORS = ['operator'] as const satisfies readonly SessionKind[]
