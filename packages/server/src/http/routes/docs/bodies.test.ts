import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import type { ApiContext } from '../../api-context.ts'
import { compressBodies } from '../../compress.ts'
import { serveDocs } from '../docs.ts'

const app = Fastify()
after(() => app.close())
compressBodies(app)
const sent: unknown[] = []
app.addHook('onSend', async (_call, _reply, payload) => {
  sent.push(payload)
})
// The pages use only these properties of the context.
serveDocs(app, { links: { baseUrl: 'https://example.com/media' }, console: undefined } as unknown as ApiContext)

const PATHS = [
  '/v1/openapi.json',
  '/llms.txt',
  '/llms-full.txt',
  '/docs/search.json',
  '/docs',
  '/docs/reference/calls',
  '/docs/reference/calls.md',
  '/docs/changelog.md',
]

test('all calls for the same documentation file and content coding send the same buffer', async () => {
  for (const url of PATHS) {
    for (const encoding of ['identity', 'gzip', 'br']) {
      sent.length = 0
      const calls = [1, 2].map(() => app.inject({ url, headers: { 'accept-encoding': encoding } }))
      assert.deepEqual(
        (await Promise.all(calls)).map(({ statusCode }) => statusCode),
        [200, 200],
        url,
      )
      assert.ok(Buffer.isBuffer(sent[0]), `${url} ${encoding}`)
      assert.equal(sent[0], sent[1], `${url} ${encoding}`)
    }
  }
})

test('the OpenAPI description and the list of calls have the address of the service', async () => {
  const { body } = await app.inject('/v1/openapi.json')
  assert.equal(JSON.parse(body).servers[0].url, '/media')
  for (const text of [body, (await app.inject('/docs/reference/calls.md')).body]) {
    assert.ok(text.includes('https://example.com/media/docs/samples/photo.jpg'))
    assert.ok(!text.includes('127.0.0.1'))
  }
})

test('without the console, the documentation has no link to the playground', async () => {
  for (const url of ['/docs/reference/calls.md', '/docs/reference/calls', '/docs/search.json']) {
    assert.ok(!(await app.inject(url)).body.includes('the playground]('), url)
  }
})
