import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROUTES } from '@mediamill/contract/routes'
import { formatJson } from '../scripts/description/markdown.ts'
import { referenceMarkdown } from '../scripts/description/reference-page.ts'
import { rejectionComponents, rejections } from '../scripts/description/rejections.ts'

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

test('JSON on a page has a line for each field, and short objects and lists on one line', () => {
  const long = 'x'.repeat(58)
  assert.equal(
    formatJson({ id: 1, files: [{ url: long }], price: { amount: '0.002' }, error: null, tags: [] }),
    `{
  "id": 1,
  "files": [
    {
      "url": "${long}"
    }
  ],
  "price": {"amount": "0.002"},
  "error": null,
  "tags": []
}`,
  )
})

const commands = [...referenceMarkdown().matchAll(/```sh\n(curl [^]*?)\n```/g)].map(([, command = '']) => command)

test('in the API reference, every example call with a JSON body has a Content-Type header', () => {
  const withJson = commands.filter((command) => / -d '[{[]/.test(command.replaceAll(/\\\n */g, '')))
  assert.ok(withJson.length > 10, `${withJson.length} calls`)
  for (const command of withJson) assert.match(command, /-H 'Content-Type: application\/json'/)
  const [process] = commands.filter((command) => command.includes('/v1/images/process'))
  assert.match(process ?? '', /-H 'Content-Type: application\/json' \\\n  -d '\{\n  "source": /)
})
