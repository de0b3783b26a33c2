import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleUrl } from '@mediamill/contract/objects/samples'
import { naming } from '@mediamill/lab/support/message'
import { minCpuMs } from '@mediamill/lab/support/min-cpu-ms'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const service = await sharedService()
const photo = sampleUrl(service.url, 'photo.jpg')

type ToolResult = {
  isError?: boolean
  content: { type: string; text: string; uri: string; data: string; mimeType: string }[]
  structuredContent: Json
}

async function connect(key = service.account.testKey, url = service.url) {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }))
  const use = async (name: string, args: object) =>
    (await client.callTool({ name, arguments: { ...args } })) as unknown as ToolResult
  return { client, use, [Symbol.asyncDispose]: () => client.close() }
}

test('an agent edits an image with an MCP tool, sees the result, and gets a link that works [agents.tools.3, agents.tools.4]', async () => {
  await using agent = await connect()
  const output = await agent.use('process_image', {
    source: photo,
    operations: [{ type: 'thumbnail', width: 120 }],
    output: { format: 'webp' },
    show: true,
  })
  assert.equal(output.isError, false, output.content[0]?.text)
  const [text, link, image] = output.content
  assert.match(text?.text ?? '', /^Request \d+ succeeded: \{"width":120,/)
  assert.equal(output.structuredContent.status, 'succeeded')
  assert.equal(link?.uri, output.structuredContent.result.files[0].url)
  const bytes = Buffer.from(image?.data ?? '', 'base64')
  assert.deepEqual([image?.mimeType, bytes.length], ['image/webp', output.structuredContent.result.files[0].size])
  assert.deepEqual(Buffer.from(await (await fetch(link?.uri ?? '')).arrayBuffer()), bytes)
})

test("an MCP tool that is called with wrong arguments returns the API's error, which contains a fix [agents.tools.5]", async () => {
  await using agent = await connect(service.account.liveKey)
  const output = await agent.use('process_image', {
    source: photo,
    operations: [{ type: 'greyscale' }, { type: 'crop' }],
  })
  assert.equal(output.isError, true)
  assert.match(
    output.content[0]?.text ?? '',
    /^validation_failed: .*greyscale.*grayscale.*\n[^]*\nSee http.*\/docs\/errors/,
  )
  assert.equal(output.structuredContent.error.code, 'validation_failed')
  const none = await agent.use('get_request', { id: 987_654 })
  assert.match(none.content[0]?.text ?? '', /^request_not_found: /)
  const video = await agent.use('process_video', { source: photo, operations: [{ type: 'grayscale' }] })
  assert.match(video.content[0]?.text ?? '', /^Request \d+ failed: unsupported_media: .* use process_image/)
})

test('an MCP tool rejects an idempotency_key with a NUL character or a lone surrogate [agents.tools.1]', async () => {
  await using agent = await connect(service.account.liveKey)
  for (const key of ['a\0b', '\ud800']) {
    const output = await agent.use('inspect_media', { media: 'image', source: photo, idempotency_key: key })
    assert.match(output.content[0]?.text ?? '', /^validation_failed: Idempotency-Key must not contain NUL/)
  }
})

test('an MCP tool call that is repeated with the same idempotency_key creates one request, which the tool get_request finds [agents.tools.1]', async () => {
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

test("a file that is sent to the URL from the MCP tool create_upload is a valid source, and get_account returns the account's mode [agents.tools.1]", async () => {
  await using agent = await connect(service.account.liveKey)
  const body = await (await fetch(photo)).bytes()
  const { structuredContent: upload } = await agent.use('create_upload', { filename: 'a.jpg', size: body.length })
  assert.equal((await fetch(upload.upload_url, { method: 'PUT', body })).status, 200)
  const read = await agent.use('inspect_media', { media: 'image', source: upload.source })
  assert.equal(read.structuredContent.result.data.size, body.length)
  const full = await agent.use('inspect_media', { media: 'image', source: upload.source, level: 'full' })
  assert.equal(full.structuredContent.result.data.content_credentials, false)
  const account = await agent.use('get_account', {})
  assert.equal(account.structuredContent.livemode, true)
})

test('the list of MCP tools contains exactly the documented tools, and has less than 32,000 characters', async () => {
  await using agent = await connect()
  const { tools } = await agent.client.listTools()
  const names =
    'process_image process_video process_document inspect_media capture_still make_text_watermark estimate_price create_upload get_request list_requests abort_request get_account'
  assert.deepEqual(
    tools.map(({ name }) => name),
    names.split(' '),
  )
  const required = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema.required]))
  assert.deepEqual([required.get('get_request'), required.get('get_account')], [['id'], undefined])
  // A model pays for the tool list: about one token for four characters.
  const { length } = JSON.stringify(tools)
  assert.ok(length < 32_000, `the tool list has ${length} characters; shorten descriptions`)
  assert.doesNotMatch(JSON.stringify(tools), /\$ref|destination|webhook/)
})

test('an agent runs a template with variables, and estimates its price [agents.tools.1]', async () => {
  await using agent = await connect(service.account.liveKey)
  const width = { type: 'integer', maximum: 50 }
  const operations = [{ type: 'resize', width: { variable: 'width' }, height: 500 }]
  const outputs = [
    { name: 'small', operations },
    { name: 'plain', format: 'png' },
  ]
  const template = await service.call('POST', '/v1/templates', { body: { name: 'mcp', outputs, variables: { width } } })
  assert.equal(template.status, 201)
  const input = { source: photo, template: 'mcp@1', variables: { width: 40 } }
  const { structuredContent } = await agent.use('process_image', input)
  assert.deepEqual(
    structuredContent.result.files.map((file: Json) => [file.name, file.format]),
    [
      ['small', 'jpg'],
      ['plain', 'png'],
    ],
  )
  assert.equal(structuredContent.result.files[0].width, 40)
  const priced = await agent.use('estimate_price', { tool: 'process_image', arguments: input })
  assert.equal(priced.structuredContent.units.maximum, 2)
  const wrong = await agent.use('process_image', { ...input, variables: { width: 51 } })
  assert.match(wrong.content[0]?.text ?? '', /^validation_failed: .*width must be/)
  const both = await agent.use('process_image', { ...input, operations: [{ type: 'orient' }] })
  assert.match(both.content[0]?.text ?? '', /operations cannot be combined with template/)
  const none = await agent.use('process_video', { source: photo })
  assert.match(none.content[0]?.text ?? '', /operations is required/)
})

test('the MCP tool capture_still uses a template for a document page, even if the source is an upload [agents.tools.1]', async () => {
  await using agent = await connect(service.account.liveKey)
  const template = { name: 'first-page', endpoint: 'documents/snapshot', page: 1, output: { format: 'png' } }
  assert.equal((await service.call('POST', '/v1/templates', { body: template })).status, 201)
  const pdf = await (await fetch(`${service.url}/docs/samples/report.pdf`)).arrayBuffer()
  const uploaded = await fetch(`${service.url}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.account.liveKey}`, 'content-type': 'application/pdf' },
    body: pdf,
  })
  const { source } = (await uploaded.json()) as { source: string }
  for (const input of [{ source: `${service.url}/docs/samples/report.pdf` }, { source, media: 'document' }]) {
    const given = { ...input, template: 'first-page' }
    const { structuredContent } = await agent.use('capture_still', given)
    assert.equal(structuredContent.result?.files[0].format, 'png', JSON.stringify(structuredContent))
    const priced = await agent.use('estimate_price', { tool: 'capture_still', arguments: given })
    assert.equal(priced.structuredContent.endpoint, 'documents/snapshot')
  }
  const wrong = await agent.use('capture_still', { source, template: 'first-page' })
  assert.match(wrong.content[0]?.text ?? '', /Call capture_still with media: "document"\./)
})

test('the MCP tool capture_still with outputs returns a link to each file by the name of its output [agents.tools.1]', async () => {
  await using agent = await connect(service.account.liveKey)
  const outputs = [
    { name: 'page', format: 'png' },
    { name: 'thumb', operations: [{ type: 'thumbnail', width: 50 }] },
  ]
  const source = `${service.url}/docs/samples/report.pdf`
  const { structuredContent, content } = await agent.use('capture_still', { source, page: 1, outputs })
  assert.equal(structuredContent.status, 'succeeded', JSON.stringify(structuredContent))
  const links = (content as { type: string; name?: string; mimeType?: string }[]).filter(
    ({ type }) => type === 'resource_link',
  )
  assert.deepEqual(
    links.map(({ name, mimeType }) => [name, mimeType]),
    [
      ['page.png', 'image/png'],
      ['thumb.jpg', 'image/jpeg'],
    ],
  )
})

test('an MCP tool rejects the same sources as the endpoints under /v1 [agents.tools.1]', async () => {
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
    const output = await agent.use('inspect_media', { media: 'image', source })
    assert.match(output.content[0]?.text ?? '', /^url_(invalid|blocked): /, source)
  }
})

const post = (body: unknown, headers: Record<string, string> = {}) => postText(JSON.stringify(body), headers)
const postText = (body: string, headers: Record<string, string> = {}) =>
  fetch(new URL('/mcp', service.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  })
const authorization = `Bearer ${service.account.liveKey}`
const listTools = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} }

test('a client that starts with the MCP handshake needs no session [agents.protocol.1]', async () => {
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

test('an MCP subscription ends at once, because the tools never change', async () => {
  const version = '2026-07-28'
  const listen = {
    jsonrpc: '2.0',
    id: 9,
    method: 'subscriptions/listen',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
      notifications: { toolsListChanged: true },
    },
  }
  const headers = { authorization, 'mcp-protocol-version': version, 'mcp-method': 'subscriptions/listen' }
  const responses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const response = await post(listen, headers)
      // If the service kept the stream open, `text` would never resolve.
      return [response.status, await response.text()] as const
    }),
  )
  for (const [status, text] of responses) {
    assert.equal(status, 200, text)
    assert.match(text, /"resultType":"complete"/)
  }
})

test('/mcp rejects calls without a key, with a wrong key, or from another origin [agents.protocol.2, agents.protocol.4]', async () => {
  const missing = await post(listTools)
  assert.equal(missing.status, 401)
  assert.match(await missing.text(), /"code":"missing_api_key"/)
  const origin = { origin: 'https://evil.example' }
  assert.equal((await post(listTools, { authorization, ...origin })).status, 403)
  assert.equal((await post(listTools, { authorization, origin: new URL(service.url).origin })).status, 200)
  for (const key of ['svc_live_wrong', service.account.liveKey.replace(/.$/, '!')])
    for (const body of [
      listTools,
      { ...listTools, method: 'tools/call', params: { name: 'get_account' } },
      [listTools],
    ])
      assert.equal((await post(body, { authorization: `Bearer ${key}` })).status, 401)
})

test('invalid protocol messages to /mcp are rejected, and the server continues to work', async () => {
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

test('an MCP message that makes no call to /v1 counts toward the rate limit, and a tool call counts only once [agents.tools.2]', async () => {
  const { testKey } = await openAccount(service.sql)
  const left = async (body: unknown) => {
    const response = await post(body, { authorization: `Bearer ${testKey}` })
    await response.text()
    return response.status
  }
  const wrongTool = { ...listTools, method: 'tools/call', params: { name: 'get_request', arguments: { no: 1 } } }
  assert.equal(await left([listTools, listTools, wrongTool]), 200)
  for (let count = 0; count < 7; count += 1)
    assert.equal(
      await left({ ...listTools, method: 'tools/call', params: { name: 'get_account', arguments: {} } }),
      200,
    )
  assert.equal(await left(listTools), 429)
})

test('/mcp checks the key and the origin before it parses the body [agents.protocol.2]', async () => {
  const codeOf = async (response: Response) => `${response.status} ${((await response.json()) as Json).error.code}`
  const wrong = { authorization: `Bearer ${service.account.liveKey.replace(/.$/, '!')}` }
  for (const body of ['{"jsonrpc":', '[[', '', '\xff', `[${'['.repeat(60)}`]) {
    assert.equal(await codeOf(await postText(body)), '401 missing_api_key', body)
    assert.equal(await codeOf(await postText(body, wrong)), '401 invalid_api_key', body)
    assert.equal((await postText(body, { authorization, origin: 'https://evil.example' })).status, 403, body)
  }
  assert.equal(await codeOf(await postText('{"jsonrpc":', { authorization })), '422 validation_failed')
  assert.equal(await codeOf(await postText('x', { ...wrong, 'content-type': 'text/plain' })), '401 invalid_api_key')
})

async function leftAfter(body: string, times: number, headers: Record<string, string> = {}): Promise<number> {
  const { testKey } = await openAccount(service.sql)
  for (let time = 0; time < times; time += 1)
    await (await postText(body, { authorization: `Bearer ${testKey}`, ...headers })).text()
  const { headers: shown } = await service.call('GET', '/v1/account', { key: testKey })
  return Number(shown.get('x-ratelimit-remaining'))
}

test('each MCP message counts as one call, even a notification or an invalid message [agents.tools.2]', async () => {
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const getAccount = { ...listTools, method: 'tools/call', params: { name: 'get_account', arguments: {} } }
  for (const [body, headers] of [
    [JSON.stringify(notification)],
    [JSON.stringify(getAccount)],
    // A tool call without an id gets no response, so the service does not run it.
    [JSON.stringify({ ...getAccount, id: undefined })],
    [JSON.stringify({ ...getAccount, id: null })],
    [JSON.stringify({ ...getAccount, jsonrpc: '1.0' })],
    // The MCP specification rejects these fields.
    ...[{ task: 'x' }, { inputResponses: 'x' }, { _meta: { progressToken: 1.5 } }, { _meta: 'x' }].map(
      (field): [string] => [JSON.stringify({ ...getAccount, params: { ...getAccount.params, ...field } })],
    ),
    [JSON.stringify(getAccount), { accept: 'text/html' }],
    [JSON.stringify(getAccount), { 'mcp-protocol-version': '1999-01-01' }],
    [JSON.stringify(getAccount), { 'content-type': 'application/json; charset=latin1' }],
    ['{"jsonrpc":'],
    ['[]'],
    [`[${'{},'.repeat(20)}{}]`],
    [`{"x":[${'1,'.repeat(20_000)}1]}`],
  ] as [string, Record<string, string>?][])
    assert.equal(await leftAfter(body, 2, headers), 7, `${body.slice(0, 100)} ${JSON.stringify(headers ?? {})}`)
  assert.equal(await leftAfter(JSON.stringify([notification, notification, getAccount, listTools]), 2), 1)
})

test('MCP notifications over the rate limit are rejected, alone and in a batch [agents.tools.2]', async () => {
  const { testKey } = await openAccount(service.sql)
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const statuses = new Map<number, number>()
  for (const body of Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? [notification] : notification))) {
    const { status } = await post(body, { authorization: `Bearer ${testKey}` })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  assert.deepEqual(
    statuses,
    new Map([
      [202, 10],
      [429, 20],
    ]),
  )
})

/** Messages of almost 1 MB with very many values, so that validating all of them would be slow. */
const LARGE = {
  'unknown arguments': tool('process_image', `{${list((index) => `"field${index}":1`)}}`),
  'arguments of an unknown tool': tool('none', `{${list((index) => `"field${index}":1`)}}`),
  operations: tool('process_image', `{"source":"x","operations":[${list(() => '{}')}]}`),
  metadata: tool(
    'process_image',
    `{"source":"x","operations":[],"metadata":{${list((index) => `"key${index}":"a"`)}}}`,
  ),
  'arguments of an estimate': tool(
    'estimate_price',
    `{"tool":"process_image","arguments":{${list((index) => `"f${index}":1`)}}}`,
  ),
  'meta fields': `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${list((index) => `"a/b${index}":1`)}}}}`,
  'fields of a message': `{"jsonrpc":"2.0","id":1,"method":"tools/list",${list((index) => `"field${index}":1`)}}`,
  'a batch of numbers': `[${list((index) => String(index))}]`,
  'nested lists': tool('process_image', `{"operations":[${list(() => `${'['.repeat(40)}${']'.repeat(40)}`)}]}`),
}

const LONG_TEXTS = {
  'a source': tool('process_image', `{"source":"${'a'.repeat(990_000)}","operations":[{"type":"flip"}]}`),
  'the name of an argument': tool('process_image', `{"${'a'.repeat(990_000)}":1}`),
  'the name of a tool': tool('a'.repeat(990_000), '{}'),
  'a source that is only quotes': tool('process_image', `{"source":"${'\\"'.repeat(490_000)}"}`),
  'the name of a method': `{"jsonrpc":"2.0","id":1,"method":"${'a'.repeat(990_000)}"}`,
}

function tool(name: string, args: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`
}

function list(item: (index: number) => string): string {
  const items: string[] = []
  for (let bytes = 0; bytes < 980_000; ) bytes += 1 + (items[items.push(item(items.length)) - 1]?.length ?? 0)
  return items.join()
}

const cpuMsOf = (body: string, maxMs: number) =>
  minCpuMs(async () => await (await postText(body, { authorization })).text(), maxMs)

for (const [what, body] of Object.entries(LARGE)) {
  test(`an MCP body with 1 MB of ${what} is rejected because it has too many values, and uses little processor time [agents.protocol.3]`, async () => {
    const response = await postText(body, { authorization })
    const { jsonrpc, id, error } = (await response.json()) as Json
    assert.deepEqual([response.status, jsonrpc, id, error.code], [400, '2.0', null, -32_600])
    assert.match(error.message, naming('5000 fields and list items', 'fewer'))
    const ms = await cpuMsOf(body, 60)
    assert.ok(ms < 60, `${Math.round(ms)} ms`)
  })
}

for (const [what, body] of Object.entries(LONG_TEXTS)) {
  test(`an MCP body with 1 MB of text in ${what} uses little processor time`, async () => {
    const ms = await cpuMsOf(body, 120)
    assert.ok(ms < 120, `${Math.round(ms)} ms`)
  })
}

test('an MCP batch has at most ten messages, and the response to ten tool lists stays small [agents.protocol.5]', async () => {
  const response = await post(
    Array.from({ length: 11 }, () => listTools),
    { authorization },
  )
  assert.equal(response.status, 400)
  assert.match(((await response.json()) as Json).error.message, /at most 10 messages/)
  const ten = await post(
    Array.from({ length: 10 }, (_, id) => ({ ...listTools, id })),
    { authorization },
  )
  const bytes = (await ten.text()).length
  assert.ok(ten.status === 200 && bytes < 300_000, String(bytes))
})

test('a batch that cancels its own call gets the response of the call, so the connection does not stay open [agents.protocol.5]', async () => {
  const cancel = (requestId: number) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId },
  })
  const canceled = await post([listTools, cancel(7)], { authorization })
  assert.match(await canceled.text(), /"name":"process_image"/)
  const alone = await post([cancel(7), cancel(8)], { authorization })
  assert.deepEqual([alone.status, await alone.text()], [202, ''])
})

test('a response to an MCP batch contains no previews [agents.protocol.5]', async () => {
  await using agent = await connect(service.account.liveKey)
  const made = await agent.use('process_image', {
    source: photo,
    operations: [{ type: 'resize', width: 20, height: 20 }],
  })
  const { id } = made.structuredContent
  const call = { ...listTools, method: 'tools/call', params: { name: 'get_request', arguments: { id, show: true } } }
  const headers = { authorization: `Bearer ${service.account.liveKey}` }
  const [alone, batch] = [
    await (await post(call, headers)).text(),
    await (await post([call, { ...call, id: 8 }], headers)).text(),
  ]
  assert.match(alone, /"type":"image"/)
  assert.doesNotMatch(batch, /"type":"image"/)
  assert.match(batch, /There is no preview: previews are not sent in a batch/)
})

test('an MCP tool accepts only the fields in its schema [agents.tools.6]', async () => {
  await using agent = await connect(service.account.liveKey)
  const requests = async () => (await service.sql`select from requests`).length
  const before = await requests()
  const operations = [{ type: 'flip' }]
  const wrong: [string, object, RegExp][] = [
    ['inspect_media', { source: photo, media: 'requests/1/abort?x=' }, /media must be one of image, video, document/],
    ['inspect_media', { source: photo, media: '../livez?x=' }, /media must be one of/],
    ['inspect_media', { source: photo, medium: 'image' }, /medium is not a field here. The fields are: source, media/],
    ['process_image', { source: photo, operations, output: { quality: 5 } }, /output\.quality is not a field here/],
    ['process_image', { operations }, /source is required/],
    ['get_request', { id: '../account' }, /id must be an integer/],
    ['list_requests', { limit: 100 }, /limit must be between 1 and 20/],
    ['list_requests', { status: 'done&x=1' }, /status must be one of/],
    ['estimate_price', { tool: 'process_image', arguments: { url: photo } }, /url is not a field here/],
    ['get_account', { x: 1 }, /x is not a field here\. There are no fields\./],
  ]
  for (const [tool, args, words] of wrong) {
    const output = await agent.use(tool, args)
    assert.equal(output.isError, true, tool)
    assert.match(output.content[0]?.text ?? '', words)
  }
  // The client's library removes this name, so send the text of the message.
  for (const args of ['"__proto__":{"x":1}', '"__proto__":null']) {
    const call = `{"name":"inspect_media","arguments":{"source":"${photo}",${args}}}`
    const headers = { authorization: `Bearer ${service.account.liveKey}` }
    const response = await postText(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${call}}`, headers)
    assert.match(await response.text(), /__proto__\W+is not a field here.*"isError":true/, args)
  }
  assert.equal(await requests(), before)
})

test('an MCP tool sends data only to destination hosts in MCP_ALLOWED_DESTINATIONS [agents.tools.7]', async () => {
  const args = { source: photo, operations: [{ type: 'flip' }] }
  const output = { destination: { url: 'https://bucket.example/x' } }
  await using agent = await connect(service.account.liveKey)
  for (const target of [{ webhook_url: 'https://hooks.example/x' }, { output }, { output: { destination: 5 } }]) {
    const result = await agent.use('process_image', { ...args, ...target })
    assert.match(result.content[0]?.text ?? '', /must have a host that the setting MCP_ALLOWED_DESTINATIONS allows/)
  }
  const url = await service.another({ mcpAllowedDestinations: ['bucket.example'] })
  await using allowing = await connect(service.account.liveKey, url)
  const result = await allowing.use('process_image', { ...args, output })
  assert.doesNotMatch(result.content[0]?.text ?? '', /MCP_ALLOWED_DESTINATIONS/)
  for (const tool of ['make_text_watermark', 'estimate_price', 'create_upload', 'get_request', 'get_account']) {
    const rejected = await allowing.use(tool, { webhook_url: 'https://bucket.example/x' })
    assert.match(rejected.content[0]?.text ?? '', /webhook_url is not a field here/, tool)
  }
  const other = await allowing.use('process_image', { ...args, output, webhook_url: 'https://bucket.example.evil/x' })
  assert.match(other.content[0]?.text ?? '', /webhook_url must have a host/)
})

test('the MCP tool inspect_media detects the type of a file, even without an extension [sources.formats.1]', async () => {
  await using agent = await connect(service.account.liveKey)
  for (const [file, endpoint] of [
    ['photo.jpg', 'images/read'],
    ['clip.mp4', 'videos/read'],
    ['report.pdf', 'documents/read'],
  ] as const) {
    const bytes = await (await fetch(sampleUrl(service.url, file))).bytes()
    const { structuredContent: upload } = await agent.use('create_upload', { filename: file, size: bytes.length })
    await fetch(upload.upload_url, { method: 'PUT', body: bytes })
    const output = await agent.use('inspect_media', { source: upload.source, idempotency_key: file })
    assert.deepEqual([output.isError, output.structuredContent.endpoint], [false, endpoint], output.content[0]?.text)
  }
})

test('an agent can create a text watermark, estimate a price, list requests, and abort one [agents.tools.1]', async () => {
  await using agent = await connect(service.account.liveKey)
  const mark = await agent.use('make_text_watermark', { text: '© Jane Doe', size: 24, color: 'ffffff' })
  assert.match(mark.structuredContent.source, /^upload:upl_/)
  const args = {
    source: photo,
    operations: [{ type: 'watermark', image_url: mark.structuredContent.source, x: 5, y: 5 }],
  }
  const price = await agent.use('estimate_price', { tool: 'process_image', arguments: args })
  assert.equal(price.structuredContent.price.maximum.amount, '0.002000')
  const done = await agent.use('process_image', { ...args, show: true })
  assert.equal(done.structuredContent.status, 'succeeded')
  assert.equal(done.content.at(-1)?.mimeType, 'image/jpeg', 'a preview of an image of any size')
  const list = await agent.use('list_requests', { limit: 1, status: 'succeeded' })
  assert.deepEqual(
    list.structuredContent.data.map(({ id }: Json) => id),
    [done.structuredContent.id],
  )
  const aborted = await agent.use('abort_request', { id: done.structuredContent.id })
  assert.equal(aborted.isError, true)
})

test('every MCP tool has an output schema and all four behavior hints, and only abort_request has the hint of a destructive tool', async () => {
  await using agent = await connect(service.account.liveKey)
  const { tools } = await agent.client.listTools()
  for (const { name, annotations } of tools) {
    for (const hint of ['readOnlyHint', 'idempotentHint', 'destructiveHint', 'openWorldHint'] as const)
      assert.equal(typeof annotations?.[hint], 'boolean', `${name} ${hint}`)
  }
  const named = (hint: 'destructiveHint' | 'readOnlyHint' | 'openWorldHint') =>
    tools.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name)
  assert.deepEqual(named('destructiveHint'), ['abort_request'])
  assert.deepEqual(named('readOnlyHint'), ['estimate_price', 'get_request', 'list_requests', 'get_account'])
  assert.ok(named('openWorldHint').every((name) => /^(?:process_|inspect_|capture_)/.test(name)))
  assert.match(JSON.stringify(tools), /"pattern":"\^#\?/)
  const without = tools.filter(({ outputSchema }) => outputSchema === undefined).map(({ name }) => name)
  assert.deepEqual(without, [])
})

test('an MCP client that requests progress gets the progress of a video [agents.tools.8]', async () => {
  await service.sql`update accounts set tier = 'paid' where id = ${service.account.id}`
  await using agent = await connect(service.account.liveKey)
  const seen: number[] = []
  const output = await agent.client.callTool(
    {
      name: 'process_video',
      arguments: { source: sampleUrl(service.url, 'clip.mp4'), operations: [{ type: 'grayscale' }] },
    },
    { onprogress: ({ progress }: { progress: number }) => void seen.push(progress) },
  )
  assert.equal((output.structuredContent as Json).status, 'succeeded')
  assert.ok(seen.length > 0)
})
