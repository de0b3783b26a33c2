import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from '@mediamill/lab/support/command-line'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import sharp from 'sharp'

const service = await sharedService()
const folder = await sharedFolder('mediamill-mcp-test-')
await mkdir(join(folder, 'open'))
const draw = (name: string, background: string, size: number) =>
  sharp({ create: { width: size, height: size, channels: 3, background } })
    .png()
    .toFile(join(folder, name))
await Promise.all([
  draw('open/photo.png', '#ff0000', 90),
  draw('open/logo.png', '#00ff00', 10),
  draw('secret.png', '#0000ff', 9),
])
await symlink(join(folder, 'secret.png'), join(folder, 'open/link.png'))
await symlink(folder, join(folder, 'open/out'))
await mkdir(join(folder, 'open/.git'))
await writeFile(join(folder, 'open/.env'), 'SECRET=1')
await writeFile(join(folder, 'open/.git/config'), 'secret')
await symlink(join(folder, 'open/.env'), join(folder, 'open/innocent.png'))
await symlink(join(folder, 'open/.git'), join(folder, 'open/plain'))

const main = join(import.meta.dirname, '../../../cli/src/main.ts')
const env = { HOME: folder, MEDIAMILL_URL: service.url, MEDIAMILL_API_KEY: service.account.liveKey }

async function connect(options: string[] = []) {
  const client = new Client({ name: 'test', version: '1' })
  const args = [main, 'mcp', join(folder, 'open'), ...options]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  const use = async (name: string, args: Record<string, unknown>) => {
    const { isError = false, content } = await client.callTool({ name, arguments: args })
    const texts = (content as { text?: string }[]).map(({ text }) => text ?? '')
    return { isError, text: texts.join('\n') }
  }
  return { client, use, [Symbol.asyncDispose]: () => client.close() }
}

const crop = [{ type: 'crop', x: 0, y: 0, width: 40, height: 40 }]

test('an agent processes a local file with a local logo, and finds the result at the requested path [agents.files.1]', async () => {
  await using agent = await connect()
  const mark = { type: 'watermark', image_url: 'logo.png', x: 0, y: 0 }
  const output = await agent.use('process_image', {
    source: 'photo.png',
    operations: [...crop, mark],
    output: { format: 'png' },
    save_to: 'result.png',
  })
  assert.deepEqual([output.isError, /Saved at .*result\.png\./.test(output.text)], [false, true], output.text)
  const { data, info } = await sharp(join(folder, 'open/result.png')).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height, ...data.subarray(0, 3)], [40, 40, 0, 255, 0])
  const again = await agent.use('process_image', { source: 'photo.png', operations: crop, save_to: 'result.png' })
  assert.match(again.text, /already exists\. Save the result under another name/)
  assert.doesNotMatch(again.text, /--force/)
})

test('over MCP, every file of a request with outputs is saved with its name, and local logos of outputs are uploaded [agents.files.1]', async () => {
  await using agent = await connect()
  const mark = { type: 'watermark', image_url: 'logo.png', x: 0, y: 0 }
  const outputs = [
    { name: 'large', format: 'png', operations: [mark] },
    { name: 'small', format: 'webp', operations: [{ type: 'resize', width: 20, height: 20 }] },
  ]
  const output = await agent.use('process_image', { source: 'photo.png', outputs, save_to: 'shop.png' })
  assert.deepEqual(
    [...output.text.matchAll(/Saved at .*?(shop-[\w.]+)\./g)].map(([, name]) => name),
    ['shop-large.png', 'shop-small.webp'],
    output.text,
  )
  const { data } = await sharp(join(folder, 'open/shop-large.png')).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([...data.subarray(0, 3)], [0, 255, 0])
  assert.equal((await sharp(join(folder, 'open/shop-small.webp')).metadata()).width, 20)
})

test('if the extension of save_to contradicts the format of the template, the error of the MCP tool names the format of the template [agents.files.1]', async () => {
  await using agent = await connect()
  const body = { name: 'saved', operations: [{ type: 'grayscale' }], output: { format: 'png' } }
  assert.equal((await service.call('POST', '/v1/templates', { body })).status, 201)
  const run = { source: 'photo.png', template: 'saved' }
  const output = await agent.use('process_image', { ...run, save_to: 'saved.png' })
  assert.match(output.text, /Saved at .*saved\.png\./)
  const other = await agent.use('process_image', { ...run, save_to: 'saved.webp' })
  assert.match(other.text, /The result is a png, not a webp/)
})

test('an agent can read and write only in its allowed folders, even through links, and failed attempts are free [agents.files.2]', async () => {
  await using agent = await connect()
  const count = async () => (await service.sql`select 1 from requests union all select 1 from uploads`).length
  const before = await count()
  for (const source of ['../secret.png', 'link.png', join(folder, 'secret.png'), '/etc/hostname', 'out/secret.png']) {
    const output = await agent.use('inspect_media', { media: 'image', source })
    assert.match(output.text, / is not in .*: only files there may be read and written\.$/, source)
  }
  for (const path of ['../a.png', 'out/a.png', '/etc/a.png', join(folder, 'a.png')]) {
    const output = await agent.use('process_image', { source: 'photo.png', operations: crop, save_to: path })
    assert.match(output.text, / is not in .*: only files there may be read and written\.$/, path)
  }
  const toFolder = await agent.use('process_image', { source: 'photo.png', operations: crop, save_to: '.' })
  assert.equal(toFolder.text, '. is a folder: add a file name.')
  assert.match(
    (await agent.use('inspect_media', { media: 'image', source: 'none.png' })).text,
    /The file none\.png does not exist/,
  )
  assert.equal(await count(), before)
  assert.ok(!(await readdir(folder)).includes('a.png'))
})

test('over stdio, the MCP tools accept paths of local files instead of separate uploads, and the API still checks URLs [agents.files.1]', async () => {
  await using agent = await connect()
  const { tools } = await agent.client.listTools()
  assert.ok(!tools.some(({ name }) => name === 'create_upload'))
  assert.match(JSON.stringify(tools), /Path of a file on this machine/)
  const output = await agent.use('inspect_media', { media: 'image', source: 'http://127.0.0.1/a.png' })
  assert.match(output.text, /^url_blocked: /)
})

test('over stdio, an invalid input line gets a protocol error, and stdout contains only MCP messages', async () => {
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const lacking = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":null}'
  const input = `no json\n\nnull\n1\n[${list}]\n${list}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n${lacking}\n`
  const ran = await commandLine(['mcp', '.'], { folder, env, input })
  const lines = ran.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const ids = lines.map(({ id }) => id)
  assert.deepEqual(
    [ran.code, ids.slice(0, 4), ids.slice(4).toSorted((a, b) => a - b)],
    [0, [null, null, null, null], [1, 2]],
    ran.err,
  )
  const wrong = await commandLine(['mcp', '.'], {
    folder,
    env: { ...env, MEDIAMILL_API_KEY: 'svc_live_wrong' },
    input: `${list}\n`,
  })
  assert.equal(wrong.code, 0)
  const none = await commandLine(['mcp', 'nowhere'], { folder, env })
  assert.deepEqual([none.code, none.err], [1, 'mediamill: The folder nowhere does not exist.\n'])
})

test('an agent cannot read or write dot files or files in dot folders, even through links [agents.files.2]', async () => {
  await using agent = await connect()
  for (const source of ['.env', '.git/config', './.env', 'innocent.png', 'plain/config']) {
    const output = await agent.use('inspect_media', { source })
    assert.match(output.text, /dot file or in a dot folder, which are never read or written/, source)
  }
  for (const path of ['.bashrc.png', '.git/hook.png', 'plain/hook.png']) {
    const output = await agent.use('process_image', { source: 'photo.png', operations: crop, save_to: path })
    assert.match(output.text, /dot file or in a dot folder/, path)
  }
})

test("the extension of an MCP tool's save_to selects the output format, and an extension that contradicts the format is a free error [agents.files.1]", async () => {
  await using agent = await connect()
  const output = await agent.use('process_image', { source: 'photo.png', operations: crop, save_to: 'as.webp' })
  assert.equal(output.isError, false, output.text)
  assert.equal((await sharp(await readFile(join(folder, 'open/as.webp'))).metadata()).format, 'webp')
  const before = (await service.sql`select from requests`).length
  const mismatch = { source: 'photo.png', operations: crop, save_to: 'as.png', output: { format: 'jpg' } }
  assert.match(
    (await agent.use('process_image', mismatch)).text,
    /as\.png and output\.format "jpg" are different formats/,
  )
  const unknown = await agent.use('process_image', { source: 'photo.png', operations: crop, save_to: 'as.exe' })
  assert.match(unknown.text, /must end in \.jpg/)
  assert.equal((await service.sql`select from requests`).length, before)
})

test('an agent sends local files only to destination hosts that its user has allowed in advance [agents.files.3]', async () => {
  const output = { destination: { url: 'https://bucket.example/x' } }
  const uploads = async () => (await service.sql`select from uploads`).length
  const before = await uploads()
  await using agent = await connect()
  for (const target of [{ output }, { webhook_url: 'https://hooks.example/x' }]) {
    const result = await agent.use('process_image', { source: 'photo.png', operations: crop, ...target })
    assert.match(result.text, /must have a host that the setting MEDIAMILL_MCP_ALLOWED_DESTINATIONS allows/)
  }
  assert.equal(await uploads(), before)
  await using allowing = await connect(['--allow-destination', 'bucket.example'])
  const result = await allowing.use('process_image', { source: 'photo.png', operations: crop, output })
  assert.match(result.text, /the setting MCP_ALLOWED_DESTINATIONS allows/, 'the service has a list of its own')
})

test('over stdio, the descriptions of the MCP tools mention no unavailable tool, and the tools report progress [agents.tools.8]', async () => {
  await service.sql`update accounts set tier = 'paid' where id = ${service.account.id}`
  await using agent = await connect()
  assert.doesNotMatch(agent.client.getInstructions() ?? '', /create_upload/)
  assert.doesNotMatch(JSON.stringify((await agent.client.listTools()).tools), /create_upload/)
  const seen: number[] = []
  await agent.client.callTool(
    {
      name: 'process_video',
      arguments: { source: `${service.url}/docs/samples/clip.mp4`, operations: [{ type: 'grayscale' }] },
    },
    { onprogress: ({ progress }: { progress: number }) => void seen.push(progress) },
  )
  assert.ok(seen.length > 0)
})
