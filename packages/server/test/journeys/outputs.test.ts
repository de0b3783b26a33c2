import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { quarters } from '@mediamill/lab/support/images'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import sharp from 'sharp'

const sources = await sharedSourceServer({ '/a.png': await quarters(64, 48), '/mark.png': await quarters(8, 8) })
const service = await sharedService({ allowed: [sources.host] })

const box = (side: number) => ({ type: 'resize', width: side, height: side })

const sizes = () => ({
  source: sources.url('/a.png'),
  operations: [{ type: 'orient' }],
  outputs: [
    { name: 'large', operations: [box(32)] },
    { name: 'small', operations: [box(16)], format: 'webp', quality: 60 },
    { operations: [box(8)], format: 'avif' },
  ],
})

const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer())

async function credit(): Promise<{ balance: number; held: number }> {
  const [row] = await service.sql`select balance, held from accounts where id = ${service.account.id}`
  return { balance: Number(row?.['balance']), held: Number(row?.['held']) }
}

test("a request with outputs makes a file per output, downloads the source once, and costs the sum of the outputs' prices [outputs.files.1, outputs.price.1]", async () => {
  const before = await credit()
  const { body: estimate } = await service.call('POST', '/v1/images/process/estimate', { body: sizes() })
  assert.deepEqual(estimate.units, { minimum: 3, maximum: 3 })
  assert.equal(estimate.price.maximum.micro_usd, 6_000)
  const calls = sources.calls.length
  const request = await service.finish('/v1/images/process', sizes())
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  assert.equal(sources.calls.slice(calls).filter(({ path }) => path === '/a.png').length, 1)
  assert.equal(request.price.micro_usd, 6_000)
  assert.deepEqual(await credit(), { balance: before.balance - 6_000, held: 0 })
  const files = request.result.files as Json[]
  assert.deepEqual(
    files.map(({ name, format, width, height }) => [name, format, width, height]),
    [
      ['large', 'jpg', 32, 24],
      ['small', 'webp', 16, 12],
      ['2', 'avif', 8, 6],
    ],
  )
  assert.deepEqual(request.result.data, { width: 32, height: 24, format: 'JPEG', size: files[0]?.size })
  for (const [index, { url, size, sha256, format }] of files.entries()) {
    const response = await fetch(url)
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(bytes.length, size)
    assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256)
    assert.equal(response.headers.get('content-type'), format === 'jpg' ? 'image/jpeg' : `image/${format}`)
    const name = [`${request.id}.jpg`, `${request.id}-small.webp`, `${request.id}-2.avif`][index]
    assert.equal(response.headers.get('content-disposition'), `inline; filename="${name}"`)
    assert.equal(new URL(url).searchParams.get('file'), [null, 'small', '2'][index] ?? null)
  }
  const avif = await sharp(await bytesOf(files[2]?.url)).metadata()
  assert.deepEqual([avif.width, avif.height, avif.compression], [8, 6, 'av1'])
  assert.deepEqual(request.input, { operations: sizes().operations, outputs: sizes().outputs })
})

test('deleting the files of a request deletes the file of every output, and all their links return 410', async () => {
  const request = await service.finish('/v1/images/process', sizes())
  const urls = (request.result.files as Json[]).map(({ url }) => String(url))
  assert.deepEqual(await Promise.all(urls.map(async (url) => (await fetch(url)).status)), [200, 200, 200])
  assert.equal((await service.call('DELETE', `/v1/requests/${request.id}/files`)).status, 200)
  assert.deepEqual(await Promise.all(urls.map(async (url) => (await fetch(url)).status)), [410, 410, 410])
})

function receive(path: string, status: number) {
  const taken: Buffer[] = []
  sources.files.set(path, (call: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    call.on('data', (chunk: Buffer) => chunks.push(chunk))
    call.on('end', () => {
      taken.push(Buffer.concat(chunks))
      response.writeHead(status).end()
    })
  })
  return { url: sources.url(path), taken }
}

test('each output is sent to its own destination; if one destination rejects its file, the request fails and the error names the output [outputs.destination.1]', async () => {
  const [first, last] = [receive('/first?sig=1', 200), receive('/last?sig=2', 201)]
  const denied = receive('/denied?sig=3', 403)
  const failing = service.finish('/v1/images/process', {
    source: sources.url('/a.png'),
    outputs: [{}, { name: 'mine', destination: { url: denied.url } }],
  })
  const body = {
    source: sources.url('/a.png'),
    outputs: [
      { destination: { url: first.url } },
      { format: 'png' },
      { format: 'webp', destination: { url: last.url } },
    ],
  }
  const request = await service.finish('/v1/images/process', body)
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  const [one, , three] = request.result.files as Json[]
  assert.ok(first.taken[0]?.equals(await bytesOf(one?.url)))
  assert.ok(last.taken[0]?.equals(await bytesOf(three?.url)))
  assert.equal(request.input.outputs[2].destination.url, sources.url('/last'))

  const blocked = await service.call('POST', '/v1/images/process', {
    body: { source: sources.url('/a.png'), outputs: [{}, { destination: { url: 'http://127.0.0.1:1/x' } }] },
  })
  assert.deepEqual([blocked.status, blocked.body.error.param], [422, 'outputs.1.destination.url'])

  const { status, error } = await failing
  assert.deepEqual([status, error.output, denied.taken.length], ['failed', 'mine', 4])
  assert.match(error.message, /^Output "mine": The destination did not accept the file: .* status 403\.$/)
})

test('a request with outputs is rejected unless the credit covers all outputs [outputs.price.1]', async () => {
  const { balance } = await credit()
  await service.sql`update accounts set balance = 5999 where id = ${service.account.id}`
  try {
    const rejected = await service.call('POST', '/v1/images/process', { body: sizes() })
    assert.deepEqual([rejected.status, rejected.body.error.code], [402, 'insufficient_credits'])
    assert.match(rejected.body.error.message, /costs at least \$0\.006/)
    const two = { ...sizes(), outputs: sizes().outputs.slice(0, 2) }
    assert.equal((await service.finish('/v1/images/process', two)).status, 'succeeded')
  } finally {
    await service.sql`update accounts set balance = ${balance} where id = ${service.account.id}`
  }
})
