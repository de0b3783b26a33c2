import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { scriptFetch } from '@mediamill/lab/support/scripted-fetch'
import { apiPage } from '../../../scripts/client/api-page.ts'
import { METHODS, NO_METHOD } from '../../../scripts/client/methods.ts'
import { Mediamill } from '../src/index.ts'
import { VERSION } from '../src/version.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const description = JSON.parse(read('docs/openapi.json'))
const operations = Object.entries<Record<string, { operationId: string }>>(description.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([verb, { operationId }]) => ({ path, verb: verb.toUpperCase(), operationId })),
)

test('every operation of the OpenAPI description has one method that calls its path, or a reason for having no method', async (t) => {
  const known = [...Object.keys(METHODS), ...Object.keys(NO_METHOD)]
  assert.deepEqual(known.toSorted(), operations.map(({ operationId }) => operationId).toSorted())
  const { fetch: own } = globalThis
  t.after(() => {
    globalThis.fetch = own
  })
  for (const { path, verb, operationId } of operations.filter((one) => !(one.operationId in NO_METHOD))) {
    const fetch = scriptFetch(({ method }) =>
      method === 'HEAD' || method === 'PATCH'
        ? { headers: { 'upload-offset': method === 'HEAD' ? '0' : '1' } }
        : { body: {} },
    )
    // These methods use the global `fetch`, because they belong to no client.
    globalThis.fetch = fetch
    const client = new Mediamill({ baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch })
    // Every response is empty, because the test checks only the calls.
    await METHODS[operationId]?.call(client).then(undefined, () => {})
    const isOfUpload = operationId === 'patchUpload'
    const [sent, ...more] = isOfUpload ? fetch.calls.slice(1) : fetch.calls
    const expected = new RegExp(`^${verb} ${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`)
    assert.match(`${sent?.method} ${sent?.path}`, expected, operationId)
    assert.ok(
      ['downloadResult', 'streamRequest', 'headUpload'].includes(operationId) || more.length === 0,
      `${operationId} is one call`,
    )
  }
})

test('packages/sdk/api.md lists the methods of the library (if not, run node scripts/write-client-api.ts)', () => {
  assert.equal(read('packages/sdk/api.md'), apiPage(description))
})

test('the version of the library equals the version of the server in every file', () => {
  const { version } = JSON.parse(read('package.json'))
  assert.deepEqual([JSON.parse(read('packages/sdk/package.json')).version, VERSION], [version, version])
})
