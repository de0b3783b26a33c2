import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROUTES } from '@mediamill/contract/routes'
import { rejectionComponents, rejections } from './rejections.ts'

test('the OpenAPI description of every endpoint lists the 503 of an outage, with Retry-After [errors.calls.2]', () => {
  for (const route of ROUTES) assert.ok('503' in rejections(route) || 503 in route.responses, route.operationId)
  const { Unavailable: response } = rejectionComponents() as Record<string, Component>
  assert.deepEqual(Object.keys(response?.headers ?? {}), ['Request-Id', 'Retry-After'])
})

type Component = { headers: object; content: { 'application/json': { examples: object } } }

test('in the OpenAPI description, only errors for a missing or wrong key have the header WWW-Authenticate [auth.keys.5]', () => {
  const found = Object.entries(rejectionComponents() as Record<string, Component>)
  const asking = found.filter(([, { headers }]) => 'WWW-Authenticate' in headers)
  const ofKeys = found.filter(([, { content }]) => {
    const codes = Object.keys(content['application/json'].examples)
    return codes.some((code) => code === 'missing_api_key' || code === 'invalid_api_key')
  })
  assert.ok(asking.length > 0 && asking.length < found.length)
  assert.deepEqual(asking, ofKeys)
})
