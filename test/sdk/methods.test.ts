import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { apiPage } from '../../scripts/client/api-page.ts'
import { METHODS } from '../../scripts/client/methods.ts'
import { Mediamill } from '../../src/client/index.ts'
import { VERSION } from '../../src/client/version.ts'
import { scriptFetch } from '../support/scripted-fetch.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const description = JSON.parse(read('docs/openapi.json'))
const operations = Object.entries<Record<string, { operationId: string }>>(description.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([verb, { operationId }]) => ({ path, verb: verb.toUpperCase(), operationId })),
)

test('every operation of the description has exactly one method, which calls its path', async () => {
  assert.deepEqual(Object.keys(METHODS).toSorted(), operations.map(({ operationId }) => operationId).toSorted())
  for (const { path, verb, operationId } of operations) {
    const fetch = scriptFetch(() => ({ body: {} }))
    const client = new Mediamill({ baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch })
    // What comes back is not that of the service: only what was sent matters.
    await METHODS[operationId]?.call(client).then(undefined, () => {})
    const [sent, ...more] = fetch.calls
    const expected = new RegExp(`^${verb} ${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`)
    assert.match(`${sent?.method} ${sent?.path}`, expected, operationId)
    assert.ok(
      ['downloadResult', 'streamRequest'].includes(operationId) || more.length === 0,
      `${operationId} is one call`,
    )
  }
})

test('packages/sdk/api.md lists them: node scripts/write-client-api.ts writes it', () => {
  assert.equal(read('packages/sdk/api.md'), apiPage(description))
})

test("the library's version is that of the server, everywhere that it stands", () => {
  const { version } = JSON.parse(read('package.json'))
  assert.deepEqual([JSON.parse(read('packages/sdk/package.json')).version, VERSION], [version, version])
})
