import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { sampleUrl } from '../../src/domain/samples.ts'
import type { Json } from '../support/service.ts'
import { startService } from '../support/service.ts'

const service = await startService()
after(() => service[Symbol.asyncDispose]())
const photo = sampleUrl(service.url, 'photo.jpg')

type Said = {
  isError?: boolean
  content: { type: string; text: string; uri: string; data: string; mimeType: string }[]
  structuredContent: Json
}

/** A client of today's protocol, or of the one with a handshake. */
async function connect(key = service.account.testKey) {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit }))
  const use = async (name: string, args: object) =>
    (await client.callTool({ name, arguments: { ...args } })) as unknown as Said
  return { client, use, [Symbol.asyncDispose]: () => client.close() }
}

test('an agent edits a picture by a tool, sees it, and gets a link that works [4.1, rulings 22]', async () => {
  await using agent = await connect()
  const said = await agent.use('process_image', {
    source: photo,
    operations: [{ type: 'thumbnail', width: 120 }],
    output: { format: 'webp' },
    show: true,
  })
  assert.equal(said.isError, false, said.content[0]?.text)
  const [text, link, picture] = said.content
  assert.match(text?.text ?? '', /^Request \d+ succeeded: \{"width":120,/)
  assert.equal(said.structuredContent.status, 'succeeded')
  assert.equal(link?.uri, said.structuredContent.result.files[0].url)
  const bytes = Buffer.from(picture?.data ?? '', 'base64')
  assert.deepEqual([picture?.mimeType, bytes.length], ['image/webp', said.structuredContent.result.files[0].size])
  assert.deepEqual(Buffer.from(await (await fetch(link?.uri ?? '')).arrayBuffer()), bytes)
})

test('a tool that is called wrongly says what the interface says, in words that mend the call [7.1, rulings 22]', async () => {
  await using agent = await connect(service.account.liveKey)
  const said = await agent.use('process_image', {
    source: photo,
    operations: [{ type: 'greyscale' }, { type: 'crop' }],
  })
  assert.equal(said.isError, true)
  assert.match(
    said.content[0]?.text ?? '',
    /^validation_failed: .*greyscale.*grayscale.*\n[^]*\nSee http.*\/docs\/errors/,
  )
  assert.equal(said.structuredContent.error.code, 'validation_failed')
  const none = await agent.use('get_request', { id: 987_654 })
  assert.match(none.content[0]?.text ?? '', /^request_not_found: /)
  const video = await agent.use('process_video', { source: photo, operations: [{ type: 'grayscale' }] })
  assert.match(video.content[0]?.text ?? '', /^Request \d+ failed: unsupported_media: .* use images\/process/)
})

test('the same work under one idempotency_key is done once, and get_request finds it again [4.1, rulings 22]', async () => {
  await using agent = await connect(service.account.liveKey)
  const once = () => agent.use('inspect_media', { media: 'image', source: photo, idempotency_key: 'look' })
  const [first, second] = [await once(), await once()]
  assert.equal(first.structuredContent.result.data.format, 'JPEG')
  assert.deepEqual(second.structuredContent, first.structuredContent)
  const again = await agent.use('get_request', { id: first.structuredContent.id })
  assert.deepEqual(again.structuredContent, first.structuredContent)
  const page = await agent.use('capture_still', { source: sampleUrl(service.url, 'report.pdf'), page: 1 })
  assert.equal(page.structuredContent.endpoint, 'documents/snapshot')
  const failed = await agent.use('inspect_media', { media: 'document', source: photo })
  assert.deepEqual([failed.isError, failed.structuredContent.status], [true, 'failed'])
})

test('a file without a URL gets an address, and get_account tells the credit [rulings 17, 22]', async () => {
  await using agent = await connect(service.account.liveKey)
  const body = await (await fetch(photo)).bytes()
  const { structuredContent: upload } = await agent.use('create_upload', { filename: 'a.jpg', size: body.length })
  assert.equal((await fetch(upload.upload_url, { method: 'PUT', body })).status, 200)
  const read = await agent.use('inspect_media', { media: 'image', source: upload.source })
  assert.equal(read.structuredContent.result.data.size, body.length)
  const account = await agent.use('get_account', {})
  assert.equal(account.structuredContent.livemode, true)
})

test('the list of tools is short enough to be read with every conversation, and names all media [rulings 22]', async () => {
  await using agent = await connect()
  const { tools } = await agent.client.listTools()
  const names =
    'process_image process_video process_document inspect_media capture_still create_upload get_request get_account'
  assert.deepEqual(
    tools.map(({ name }) => name),
    names.split(' '),
  )
  const required = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema.required]))
  assert.deepEqual([required.get('get_request'), required.get('get_account')], [['id'], undefined])
  // A token is four characters of JSON or a little less.
  assert.ok(JSON.stringify(tools).length < 3.5 * 6_000, String(JSON.stringify(tools).length))
  assert.doesNotMatch(JSON.stringify(tools), /\$ref|destination|webhook/)
})

test('whatever a call of /v1 refuses as a source a tool refuses too [4.6, rulings 22]', async () => {
  await using agent = await connect(service.account.liveKey)
  const urls = [
    'http://127.0.0.1/a.png',
    'http://[::1]/a.png',
    'http://169.254.169.254/latest/meta-data/',
    'http://0x7f.1/a.png',
    'http://2130706433/a.png',
    'http://[::ffff:10.0.0.1]/a.png',
    'http://localhost/a.png',
    'http://user:pass@1.1.1.1/a.png',
    'http://1.1.1.1:22/a.png',
    'file:///etc/passwd',
    '/etc/passwd',
    'data:image/png;base64,AAAA',
  ]
  for (const source of urls) {
    const said = await agent.use('inspect_media', { media: 'image', source })
    assert.match(said.content[0]?.text ?? '', /^url_(invalid|blocked): /, source)
  }
})

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(new URL('/mcp', service.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  })
const authorization = `Bearer ${service.account.liveKey}`
const listTools = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} }

test('a client of the protocol with a handshake is served without a session [rulings 22]', async () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
  }
  const greeted = await (await post(initialize, { authorization })).text()
  assert.match(greeted, /"protocolVersion":"2025-06-18"/)
  assert.match(greeted, /create_upload/)
  const version = { 'mcp-protocol-version': '2025-06-18' }
  const notified = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { authorization, ...version })
  assert.deepEqual([notified.status, await notified.text()], [202, ''])
  assert.match(await (await post(listTools, { authorization, ...version })).text(), /"name":"process_image"/)
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await fetch(new URL('/mcp', service.url), { method, headers: { authorization } })).status, 405)
  }
})

test('without a key, with a wrong one or from a foreign page there is nothing to do at /mcp [5, rulings 22]', async () => {
  const missing = await post(listTools)
  assert.equal(missing.status, 401)
  assert.match(await missing.text(), /"code":"missing_api_key"/)
  const origin = { origin: 'https://evil.example' }
  assert.equal((await post(listTools, { authorization, ...origin })).status, 403)
  assert.equal((await post(listTools, { authorization, origin: new URL(service.url).origin })).status, 200)
  await using agent = await connect('svc_live_wrong')
  const said = await agent.use('get_account', {})
  assert.match(said.content[0]?.text ?? '', /^invalid_api_key: /)
})

test('what is no message of the protocol is refused, and nothing breaks [rulings 22]', async () => {
  for (const body of [
    null,
    1,
    'text',
    [],
    {},
    { jsonrpc: '1.0', id: 1, method: 'tools/list' },
    [listTools, listTools],
  ]) {
    const { status } = await post(body, { authorization })
    assert.ok(status >= 200 && status < 500, `${JSON.stringify(body)} ${status}`)
  }
  await using agent = await connect(service.account.liveKey)
  for (const args of [{}, { id: { a: 1 } }, { id: '../account' }, { id: [], show: 'yes' }]) {
    assert.equal((await agent.use('get_request', args)).isError, true, JSON.stringify(args))
  }
})
