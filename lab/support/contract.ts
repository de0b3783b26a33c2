import assert from 'node:assert/strict'
import { apiError } from '@mediamill/contract/objects/error'
import { webhookEvent } from '@mediamill/contract/objects/event'
import type { Route } from '@mediamill/contract/route'
import { rejectionsOf } from '@mediamill/contract/route'
import { ROUTES } from '@mediamill/contract/routes'

/** Returns the route of a call, or `undefined` for paths outside the contract. `path` has no query. */
function routeOf(method: string, path: string): Route | undefined {
  return ROUTES.find((route) => route.method === method.toLowerCase() && patternOf(route).test(path))
}

const patternOf = ({ path }: Route) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** Asserts that a response matches its route. For paths outside the contract, checks only the shape of errors. */
export function checkResponse(method: string, url: string, { status, body }: { status: number; body: unknown }): void {
  const path = new URL(url, 'http://localhost').pathname
  const route = routeOf(method, path)
  const what = `${method} ${path} returned ${status}`
  if (status >= 400 && path.startsWith('/v1/')) {
    checkRejection(what, route, body)
    return
  }
  if (route === undefined) return
  const response = route.responses[status]
  assert.ok(response !== undefined, `${what}, which its route does not declare`)
  if (response.isStream) {
    assert.ok(response.schema)
    for (const [, data = ''] of String(body).matchAll(/^data: (.*)$/gm))
      assertIs(response.schema, JSON.parse(data), what)
  } else if (response.schema === undefined) assert.equal(body, undefined, what)
  else assertIs(response.schema, body, what)
}

function checkRejection(what: string, route: Route | undefined, body: unknown): void {
  // A response to HEAD has no body.
  if (body === undefined) return
  assertIs(apiError, body, what)
  const { code } = (body as { error: { code: string } }).error
  const codes: string[] = route === undefined ? OF_FILES : rejectionsOf(route)
  // These errors are possible for every route.
  assert.ok(
    [...codes, 'not_found', 'validation_failed', 'server_error'].includes(code),
    `${what} with the undeclared error code ${code}`,
  )
}

/** The error codes of paths that the contract does not contain: unknown paths, and files of results. */
const OF_FILES = ['not_found', 'invalid_signature', 'result_expired', 'range_not_satisfiable']

export function checkEvent(raw: Buffer): void {
  assertIs(webhookEvent, JSON.parse(raw.toString()), 'a webhook delivery')
}

function assertIs(
  schema: { safeParse: (value: unknown) => { success: boolean; error?: unknown } },
  value: unknown,
  what: string,
) {
  const parsed = schema.safeParse(value)
  assert.ok(
    parsed.success,
    `${what} with a body that does not match its schema: ${String(parsed.error)} in ${JSON.stringify(value)}`,
  )
}
