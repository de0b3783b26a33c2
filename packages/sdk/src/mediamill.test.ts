import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { scriptedRejection, scriptedRequest, scriptFetch } from '@mediamill/lab/support/scripted-fetch'
import type { CallNotice, FileSource } from './index.ts'
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

test('the base URL and the API key come from the options or the environment; the error for a missing option names the option', () => {
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

test('the client appends paths to the base URL, whether it ends with a slash, with /v1, or with neither', async () => {
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

test('the client uploads a file object once, however often it is used, and uploads it again after its upload was deleted', async () => {
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

test('the client uploads a local file that an operation of an output uses', async () => {
  const { client, fetch } = scripted()
  const source = new Blob(['abc'])
  const operations = [{ type: 'watermark' as const, image_url: new Blob(['logo']), x: 0, y: 0 }]
  await client.images.process({ source, outputs: [{ name: 'plain' }, { name: 'marked', operations }] })
  const { outputs } = JSON.parse(fetch.calls.at(-1)?.body ?? '')
  assert.deepEqual([outputs[0], outputs[1].operations[0].image_url], [{ name: 'plain' }, 'upload:upl_1'])
})

test("the client uploads a file under the file's name, unless the service would reject the name", async () => {
  const { client, fetch } = scripted()
  const queryOf = async (file: Blob, options: { filename?: string } = {}) => {
    await client.uploads.create(file, options)
    return fetch.calls.at(-1)?.path.slice('/v1/uploads'.length)
  }
  assert.equal(await queryOf(new File(['abc'], 'a photo.jpg')), '?filename=a+photo.jpg')
  assert.equal(await queryOf(new File(['abc'], 'C:\\folder/other.jpg')), '?filename=other.jpg')
  assert.equal(await queryOf(new File(['abc'], 'a\u202egnp.exe')), '')
  assert.equal(await queryOf(new Blob(['abc'])), '')
  assert.equal(await queryOf(new Blob(['abc']), { filename: 'given.jpg' }), '?filename=given.jpg')
  await client.uploads.create(new File(['a'.repeat(20_000_000)], 'large.mp4')).catch(() => undefined)
  const begun = fetch.calls.find(({ body }) => body?.startsWith('{'))
  assert.deepEqual(JSON.parse(begun?.body ?? ''), { size: 20_000_000, filename: 'large.mp4' })
})

test('for estimates, the client uploads a placeholder of one byte once, and uses the placeholder in place of every local file', async () => {
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

test('concurrent calls with the same file upload the file once, even if the call that uploads the file is aborted', async () => {
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

test('openFile() rejects a folder and a missing file, with the reason', async () => {
  await assert.rejects(openFile(import.meta.dirname), /src is not a file\.$/)
  await assert.rejects(openFile(`${import.meta.filename}.none`), /mediamill\.test\.ts\.none does not exist\.$/)
})

test('a source can be a URL, an upload, or a promise of one of them, and a string is never a file path', async () => {
  const { client, fetch } = scripted()
  const upload = { source: 'upload:upl_7', id: 'upl_7' }
  const sources = ['https://example.com/a', new URL('https://example.com/a'), upload, Promise.resolve(upload)]
  for (const source of sources) await client.images.read({ source })
  assert.deepEqual(
    fetch.calls.map(({ body }) => JSON.parse(body).source),
    ['https://example.com/a', 'https://example.com/a', 'upload:upl_7', 'upload:upl_7'],
  )
  await assert.rejects(async () => await client.images.read({ source: 'photo.jpg' }), /openFile\("photo\.jpg"\)/)
  await assert.rejects(async () => await client.images.read({ source: {} as never }), /a URL, an upload, a Blob, bytes/)
})

test('if the promise of a file rejects before the client needs it, only the call fails, and the program continues', async () => {
  const { client } = scripted()
  const late = nextTurn(new Blob(['abc']))
  const operations = [
    { type: 'watermark' as const, image_url: openFile('no-such-file.png'), x: 0, y: 0 },
    { type: 'watermark' as const, image_url: Promise.reject(new Error('second')), x: 0, y: 0 },
  ]
  await assert.rejects(client.images.process({ source: late, operations }), /second|does not exist/)
  await assert.rejects(client.images.process.estimate({ source: late, operations }), /second|does not exist/)
  const outputs = [
    { operations: [{ type: 'watermark' as const, image_url: openFile('no-such-file.png'), x: 0, y: 0 }] },
  ]
  await assert.rejects(client.images.process({ source: late, outputs }), /does not exist/)
})

test('bytes, streams, fetch responses, and local files are uploaded with their name', async () => {
  const { client, fetch } = scripted()
  const path = fileURLToPath(import.meta.url)
  const { size } = await stat(path)
  const bytes = Buffer.from('abc')
  const response = new Response('abcd')
  Object.defineProperty(response, 'url', { value: 'https://example.com/folder/photo.jpg?a=1' })
  const web = () => new Blob(['abcde']).stream()
  const sources: [FileSource | URL | Promise<Blob>, string][] = [
    [bytes, '/v1/uploads [3 bytes]'],
    [new Uint8Array(2), '/v1/uploads [2 bytes]'],
    [new DataView(bytes.buffer, 0, 2), '/v1/uploads [2 bytes]'],
    [bytes.buffer.slice(0, 1), '/v1/uploads [1 bytes]'],
    [web(), '/v1/uploads [5 bytes]'],
    [createReadStream(path), `/v1/uploads?filename=mediamill.test.ts [${size} bytes]`],
    [response, '/v1/uploads?filename=photo.jpg [4 bytes]'],
    [new URL(import.meta.url), `/v1/uploads?filename=mediamill.test.ts [${size} bytes]`],
    [openFile(path), `/v1/uploads?filename=mediamill.test.ts [${size} bytes]`],
  ]
  for (const [source, sent] of sources) {
    await client.images.read({ source })
    const call = fetch.calls.at(-2)
    assert.equal(`${call?.path} ${call?.body}`, sent)
  }
  const stream = web()
  await client.uploads.create(stream)
  assert.equal(fetch.calls.at(-1)?.body, '[5 bytes]')
  await client.images.read({ source: stream })
  assert.equal(fetch.calls.at(-2)?.body, '[5 bytes]', 'a stream that was read is read again from memory')
  const lost = new Response('no', { status: 404 })
  await assert.rejects(async () => await client.images.read({ source: lost }), /status 404/)
  const [used, locked] = [new Response('abc'), web()]
  await used.text()
  locked.getReader()
  for (const source of [used, locked]) {
    const sent = async () => await client.images.read({ source })
    await assert.rejects(
      sent,
      /^MediamillError: The (Response|stream) was already read\. Pass it .* before you read it/,
    )
  }
})

test('the stack trace of an error includes the frames of the caller', async () => {
  const fetch = scriptFetch(() => scriptedRejection(404, 'not_found', 'request_not_found'))
  const client = new Mediamill({ baseUrl: 'https://m.example', apiKey: 'a', fetch })
  const source = 'https://example.com/a'
  const myHandler = async (call: () => Promise<unknown>) => await call()
  const calls = {
    start: async () => await client.images.read({ source }),
    wait: async () => await client.images.read({ source }).wait(),
    requestWait: async () => await client.requests.wait(17),
    account: async () => await client.account.retrieve(),
    upload: async () => await client.uploads.create(new Blob(['a'])),
  }
  for (const [name, call] of Object.entries(calls)) {
    const error = await myHandler(call).then(undefined, (thrown: Error) => thrown)
    assert.ok(error instanceof Error, name)
    assert.match(error.stack ?? '', /myHandler/, name)
    assert.match(error.stack ?? '', /mediamill\.test\.ts/, name)
  }
})

test('the client can call any path, add headers, and report each response', async () => {
  const notices: CallNotice[] = []
  const fetch = scriptFetch(() => ({ body: { object: 'new' }, headers: { 'request-id': 'req_1' } }))
  const options = { baseUrl: 'https://m.example', apiKey: 'a', fetch, defaultHeaders: { 'x-team': 'shop' } }
  const client = new Mediamill({ ...options, onCall: (notice) => notices.push(notice) })
  const headers = { 'x-trace': '7' }
  const response = await client.call<{ object: string }>('POST', '/v1/new', {
    body: { a: 1 },
    query: { b: 2 },
    headers,
  })
  const [sent] = fetch.calls
  assert.deepEqual([response.object, sent?.method, sent?.path, sent?.body], ['new', 'POST', '/v1/new?b=2', '{"a":1}'])
  assert.deepEqual([sent?.headers.get('x-team'), sent?.headers.get('x-trace')], ['shop', '7'])
  assert.deepEqual(
    notices.map(({ method, url, status, requestId }) => ({ method, url, status, requestId })),
    [{ method: 'POST', url: 'https://m.example/v1/new?b=2', status: 200, requestId: 'req_1' }],
  )
})

test('isMediamillError accepts errors of every loaded copy of the library', async () => {
  const copy = (await import(
    `./errors/mediamill-error.ts?copy=${Date.now()}`
  )) as typeof import('./errors/mediamill-error.ts')
  const error = new copy.MediamillError('a')
  assert.ok(!(error instanceof MediamillError) && isMediamillError(error))
  for (const other of [new Error('a'), null, 'a', {}]) assert.ok(!isMediamillError(other))
})

test('the client rejects an API key in a web page unless dangerouslyAllowBrowser is set', () => {
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

test('a repeated warning of the service is passed to the caller only once', async () => {
  const warning = 'unknown query parameter "offset" was ignored; use "before"'
  const fetch = scriptFetch(() => ({ body: { data: [] }, headers: { 'mediamill-warning': warning } }))
  const warnings: string[] = []
  const onWarning = (message: string) => warnings.push(message)
  const client = new Mediamill({ baseUrl: 'https://m.example', apiKey: 'a', fetch, onWarning })
  await client.account.retrieve()
  await client.account.retrieve()
  assert.deepEqual(warnings, [warning])
})

test('a warning that reaches the caller has only printable ASCII, so it cannot control a terminal', async () => {
  const fetch = scriptFetch(() => ({ body: { data: [] }, headers: { 'mediamill-warning': 'a\u009b31m\u00e9\tb' } }))
  const warnings: string[] = []
  const onWarning = (message: string) => warnings.push(message)
  await new Mediamill({ baseUrl: 'https://m.example', apiKey: 'a', fetch, onWarning }).account.retrieve()
  assert.deepEqual(warnings, ['a?31m??b'])
})
