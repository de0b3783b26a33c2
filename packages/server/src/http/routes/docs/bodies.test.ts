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
serveDocs(app, { links: { baseUrl: 'https://media.example' }, console: undefined } as unknown as ApiContext)

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
