import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedRequest, scriptFetch } from '@mediamill/lab/support/scripted-fetch'
import { isMediamillError, Mediamill, MediamillError, openFile } from './index.ts'

const upload = (index: number) => ({
  body: {
    id: `upl_${index}`,
    status: 'complete',
    source: `upload:upl_${index}`,
    created_at: new Date(),
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
    for (const baseUrl of ['m.example', 'localhost:8080', 'ftp://m.example', ''])
      assert.throws(() => new Mediamill({ baseUrl, apiKey: 'a' }), new RegExp(`not a URL such as .*: ${baseUrl}$`))
    assert.throws(() => new Mediamill({ baseUrl: 'https://m.example', apiKey: '' }), /MEDIAMILL_API_KEY/)
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
    'https://m.example/media/v1',
    'https://m.example/media//v1/',
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
  await client.images.read({ source: file })
  await client.images.process({ source: file, operations })
  const uploads = () => fetch.calls.filter(({ path }) => path === '/v1/uploads').length
  assert.equal(uploads(), 1)
  const sent = JSON.parse(fetch.calls.at(-1)?.body ?? '')
  assert.deepEqual([sent.source, sent.operations[0].image_url], ['upload:upl_0', 'upload:upl_0'])
  await client.uploads.delete('upl_0')
  await client.images.read({ source: file })
  assert.equal(uploads(), 2)
})

test('an estimate uploads none of the bytes of a file, and one stand-in for all files of a client', async () => {
  const { client, fetch } = scripted()
  const [source, image_url] = [new Blob(['a'.repeat(40_000_000)]), new Blob(['b'.repeat(2000)])]
  const operations = [{ type: 'watermark' as const, image_url, x: 0, y: 0 }]
  await client.videos.process.estimate({ source, operations })
  await client.videos.process.estimate({ source, operations })
  assert.deepEqual(
    fetch.calls.map(({ path, body }) => (path === '/v1/uploads' ? `${path} ${body}` : path)),
    ['/v1/uploads [1 bytes]', '/v1/videos/process/estimate', '/v1/videos/process/estimate'],
  )
  const sent = JSON.parse(fetch.calls.at(-1)?.body ?? '')
  assert.deepEqual([sent.source, sent.operations[0].image_url], ['upload:upl_0', 'upload:upl_0'])
})

test('calls at once upload their file once; one whose caller gives up is begun again by the next', async () => {
  const { client, fetch } = scripted()
  const file = new Blob(['abc'])
  await Promise.all([1, 2, 3].map(async () => await client.images.read({ source: file })))
  const uploads = () => fetch.calls.filter(({ path }) => path === '/v1/uploads').length
  assert.equal(uploads(), 1)

  const gates: (() => void)[] = []
  const slow = scriptFetch(({ path }, index) => (path === '/v1/uploads' ? upload(index) : { body: { id: 1 } }))
  const gated: typeof globalThis.fetch = async (url, init) => {
    if ((url as string).endsWith('/uploads'))
      await new Promise<void>((resolve, reject) => {
        gates.push(resolve)
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
      })
    return await slow(url, init)
  }
  const other = new Mediamill({ baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch: gated, maxRetries: 0 })
  const [first, second] = [new AbortController(), new AbortController()]
  const started = [first.signal, second.signal, undefined].map(
    async (signal) => await other.images.read({ source: file }, { signal }),
  )
  const ends = Promise.allSettled(started)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(gates.length, 1)
  second.abort(new Error('second'))
  await assert.rejects(started[1] as Promise<unknown>, /second/)
  first.abort(new Error('first'))
  await assert.rejects(started[0] as Promise<unknown>, /first/)
  await new Promise((resolve) => setImmediate(resolve))
  for (const open of gates) open()
  assert.deepEqual(
    (await ends).map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  )
  assert.equal(gates.length, 2)
})

test('a folder is not a file to send', async () => {
  await assert.rejects(openFile(import.meta.dirname), /cannot be opened/)
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

test('a warning of the service is passed on once', async () => {
  const warning = 'unknown query parameter "offset" was ignored; use "before"'
  const fetch = scriptFetch(() => ({ body: { data: [] }, headers: { 'mediamill-warning': warning } }))
  const warnings: string[] = []
  const onWarning = (message: string) => warnings.push(message)
  const client = new Mediamill({ baseUrl: 'https://m.example', apiKey: 'a', fetch, onWarning })
  await client.account.retrieve()
  await client.account.retrieve()
  assert.deepEqual(warnings, [warning])
})
