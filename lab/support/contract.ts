import assert from 'node:assert/strict'
import { apiError } from '@mediamill/contract/objects/error'
import { webhookEvent } from '@mediamill/contract/objects/event'
import type { Route } from '@mediamill/contract/route'
import { refusalsOf } from '@mediamill/contract/route'
import { ROUTES } from '@mediamill/contract/routes'

/** The route of a call, by its method and its path without the query. */
export function routeOf(method: string, path: string): Route | undefined {
  return ROUTES.find((route) => route.method === method.toLowerCase() && patternOf(route).test(path))
}

const patternOf = ({ path }: Route) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/**
 * Asserts that an answer is what its route declares: its status, its code, and every field of its body, no one more.
 * Paths outside the contract, such as `/docs`, are not judged unless they are refused.
 */
export function checkAnswer(method: string, url: string, { status, body }: { status: number; body: unknown }): void {
  const path = new URL(url, 'http://localhost').pathname
  const route = routeOf(method, path)
  const what = `${method} ${path} answered ${status}`
  if (status >= 400 && path.startsWith('/v1/')) {
    checkRefusal(what, route, body)
    return
  }
  if (route === undefined) return
  const answer = route.answers[status]
  assert.ok(answer !== undefined, `${what}, which its route does not declare`)
  if (answer.isStream) {
    assert.ok(answer.schema)
    for (const [, data = ''] of String(body).matchAll(/^data: (.*)$/gm)) assertIs(answer.schema, JSON.parse(data), what)
  } else if (answer.schema === undefined) assert.equal(body, undefined, what)
  else assertIs(answer.schema, body, what)
}

function checkRefusal(what: string, route: Route | undefined, body: unknown): void {
  // An answer to HEAD.
  if (body === undefined) return
  assertIs(apiError, body, what)
  const { code } = (body as { error: { code: string } }).error
  const codes: string[] = route === undefined ? OF_FILES : refusalsOf(route)
  // What is wrong with a call as such, before it is any route's.
  assert.ok([...codes, 'not_found', 'validation_failed', 'server_error'].includes(code), `${what} with ${code}`)
}

/** What refuses a call outside the contract: an unknown path, or one of a result's file. */
const OF_FILES = ['not_found', 'invalid_signature', 'result_expired', 'range_not_satisfiable']

/** Asserts that what was posted is an event as the contract has it. */
export function checkEvent(raw: Buffer): void {
  assertIs(webhookEvent, JSON.parse(raw.toString()), 'an event')
}

function assertIs(
  schema: { safeParse: (value: unknown) => { success: boolean; error?: unknown } },
  value: unknown,
  what: string,
) {
  const parsed = schema.safeParse(value)
  assert.ok(
    parsed.success,
    `${what} with what its route does not declare: ${String(parsed.error)} in ${JSON.stringify(value)}`,
  )
}
