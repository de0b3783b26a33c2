import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedRequest, scriptFetch } from '../../test/support/scripted-fetch.ts'
import { isMediamillError, Mediamill, MediamillError } from './index.ts'

const upload = (index: number) => ({
  body: {
    id: `upl_${index}`,
    status: 'complete',
    source: `upload:upl_${index}`,
    expires_at: new Date(Date.now() + 86_400_000),
  },
})

function scripted() {
  const fetch = scriptFetch(({ path, method }, index) => {
    if (path === '/v1/uploads') return upload(index)
    return method === 'DELETE' ? { body: {} } : { body: scriptedRequest('queued') }
  })
  return { fetch, client: new Mediamill({ baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch }) }
}

test('address and key come from the options, or from the environment; without them it says what is missing', () => {
  const { MEDIAMILL_URL: url, MEDIAMILL_API_KEY: key } = process.env
  try {
    delete process.env['MEDIAMILL_URL']
    delete process.env['MEDIAMILL_API_KEY']
    assert.throws(() => new Mediamill({ apiKey: 'a' }), /MEDIAMILL_URL/)
    assert.throws(() => new Mediamill({ baseUrl: 'https://m.example' }), /MEDIAMILL_API_KEY/)
    assert.throws(() => new Mediamill({ baseUrl: 'm.example', apiKey: 'a' }), /not a URL: m\.example/)
    process.env['MEDIAMILL_URL'] = 'https://m.example'
    process.env['MEDIAMILL_API_KEY'] = 'a'
    assert.doesNotThrow(() => new Mediamill())
  } finally {
    Object.assign(process.env, url === undefined ? {} : { MEDIAMILL_URL: url })
    Object.assign(process.env, key === undefined ? {} : { MEDIAMILL_API_KEY: key })
    if (url === undefined) delete process.env['MEDIAMILL_URL']
    if (key === undefined) delete process.env['MEDIAMILL_API_KEY']
  }
})

test('paths go below the base URL, whatever it ends with', async () => {
  for (const baseUrl of [
    'https://m.example/media',
    'https://m.example/media///',
    new URL('https://m.example/media/?a=1'),
  ]) {
    const fetch = scriptFetch(() => ({ body: {} }))
    await new Mediamill({ baseUrl, apiKey: 'a', fetch }).account.retrieve()
    assert.equal(fetch.calls[0]?.path, '/media/v1/account')
  }
})

test('a file is uploaded once, however often and where it is used, and again after it was deleted', async () => {
  const { client, fetch } = scripted()
  const file = new Blob(['abc'])
  const operations = [{ type: 'watermark' as const, image_url: file, x: 0, y: 0 }]
  await client.images.process.estimate({ source: file, operations })
  await client.images.process({ source: file, operations })
  const uploads = () => fetch.calls.filter(({ path }) => path === '/v1/uploads').length
  assert.equal(uploads(), 1)
  const sent = JSON.parse(fetch.calls.at(-1)?.body ?? '')
  assert.deepEqual([sent.source, sent.operations[0].image_url], ['upload:upl_0', 'upload:upl_0'])
  await client.uploads.delete('upl_0')
  await client.images.read({ source: file })
  assert.equal(uploads(), 2)
})

test('a source is a URL, an upload, a Blob; a path and bare bytes are told how to be one', async () => {
  const { client, fetch } = scripted()
  const sources = ['https://example.com/a', new URL('https://example.com/a'), { source: 'upload:upl_7', id: 'upl_7' }]
  for (const source of sources) await client.images.read({ source })
  assert.deepEqual(
    fetch.calls.map(({ body }) => JSON.parse(body).source),
    ['https://example.com/a', 'https://example.com/a', 'upload:upl_7'],
  )
  await assert.rejects(async () => await client.images.read({ source: 'photo.jpg' }), /openFile\("photo\.jpg"\)/)
  await assert.rejects(
    async () => await client.images.read({ source: Buffer.from('a') as never }),
    /new Blob\(\[bytes\]\)/,
  )
})

test('an error is known as ours by any copy of the library that is loaded', async () => {
  const copy = (await import(
    `./errors/mediamill-error.ts?copy=${Date.now()}`
  )) as typeof import('./errors/mediamill-error.ts')
  const error = new copy.MediamillError('a')
  assert.ok(!(error instanceof MediamillError) && isMediamillError(error))
  for (const other of [new Error('a'), null, 'a', {}]) assert.ok(!isMediamillError(other))
})

test('a key in a page of a browser is refused unless it is allowed in so many words', () => {
  const scope = globalThis as { document?: unknown }
  const { userAgent } = navigator
  const agent = (value: string) => Object.defineProperty(navigator, 'userAgent', { value, configurable: true })
  scope.document = {}
  agent('Mozilla/5.0')
  try {
    const options = { baseUrl: 'https://m.example', apiKey: 'a' }
    assert.throws(() => new Mediamill(options), /could read the key.*sendUpload/)
    assert.doesNotThrow(() => new Mediamill({ ...options, dangerouslyAllowBrowser: true }))
  } finally {
    delete scope.document
    agent(userAgent)
  }
})
