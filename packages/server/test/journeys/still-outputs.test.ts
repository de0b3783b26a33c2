import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { quarters } from '@mediamill/lab/support/images'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import sharp from 'sharp'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

const sources = await sharedSourceServer({
  '/clip.mp4': await readFile(sampleFile('clip.mp4')),
  '/report.pdf': await readFile(sampleFile('report.pdf')),
  '/mark.png': await quarters(8, 8),
})
const service = await sharedService({ allowed: [sources.host] })

const bytesOf = async ({ url }: Json) => Buffer.from(await (await fetch(String(url))).arrayBuffer())
const pixelsOf = (bytes: Buffer) => sharp(bytes).removeAlpha().raw().toBuffer()

const STILLS = [
  {
    endpoint: 'videos/screenshot',
    body: () => ({ source: sources.url('/clip.mp4'), seconds: 1 }),
    fact: { seconds: 1 },
  },
  { endpoint: 'documents/snapshot', body: () => ({ source: sources.url('/report.pdf'), page: 2 }), fact: { page: 2 } },
] as const

for (const { endpoint, body, fact } of STILLS) {
  test(`a request to ${endpoint} makes a file for each output, and costs the sum of the prices of the outputs [outputs.stills.1, outputs.price.1]`, async () => {
    const path = `/v1/${endpoint}`
    const single = await service.finish(path, { ...body(), output: { format: 'png' } })
    assert.equal(single.status, 'succeeded', JSON.stringify(single.error))
    const { width, height } = single.result.data
    const mark = { type: 'watermark', image_url: sources.url('/mark.png'), x: 0, y: 0 }
    const outputs = [
      { name: 'full', format: 'png' },
      { name: 'thumb', operations: [{ type: 'resize', width: 64, height: 64 }, mark] },
      {
        name: 'small',
        operations: [{ type: 'resize', width: 300, height: 300 }],
        format: 'avif',
        max_bytes: 4000,
        max_bytes_resize: true,
      },
    ]
    const { body: estimate } = await service.call('POST', `${path}/estimate`, { body: { ...body(), outputs } })
    assert.deepEqual([estimate.units, estimate.price.maximum.micro_usd], [{ minimum: 3, maximum: 3 }, 6_000])
    const [before] = await service.sql`select balance from accounts where id = ${service.account.id}`
    const request = await service.finish(path, { ...body(), outputs })
    assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
    const [after] = await service.sql`select balance, held from accounts where id = ${service.account.id}`
    assert.deepEqual([Number(before?.['balance']) - Number(after?.['balance']), Number(after?.['held'])], [6_000, 0])
    assert.equal(request.price.micro_usd, 6_000)
    const [full, thumb, small] = request.result.files as [Json, Json, Json]
    assert.deepEqual([full.name, full.format, full.width, full.height], ['full', 'png', width, height])
    assert.deepEqual(
      [thumb.name, thumb.format, Math.max(Number(thumb.width), Number(thumb.height))],
      ['thumb', 'jpg', 64],
    )
    assert.deepEqual([small.name, small.format, Number(small.size) <= 4000], ['small', 'avif', true])
    assert.deepEqual(request.result.data, { width, height, format: 'PNG', size: full.size, ...fact })
    assert.deepEqual(request.input, { ...withoutSource(body()), outputs })
    const [own] = single.result.files as [Json]
    assert.ok((await pixelsOf(await bytesOf(full))).equals(await pixelsOf(await bytesOf(own))))
    const corner = (await pixelsOf(await bytesOf(thumb))).subarray(0, 3)
    const [red] = [await pixelsOf(await quarters(8, 8))]
    for (const channel of [0, 1, 2]) assert.ok(Math.abs((corner[channel] ?? 0) - (red[channel] ?? 0)) < 40)
    assert.deepEqual((await sharp(await bytesOf(small)).metadata()).compression, 'av1')
  })

  test(`a request to ${endpoint} fails free of charge if one output fails, and is rejected if an output has an unsupported format [outputs.failure.1]`, async () => {
    const path = `/v1/${endpoint}`
    const outside = { type: 'crop', x: 19_000, y: 0, width: 1, height: 1 }
    const request = await service.finish(path, { ...body(), outputs: [{}, { name: 'cut', operations: [outside] }] })
    assert.deepEqual([request.status, request.price.micro_usd, request.error.output], ['failed', 0, 'cut'])
    assert.equal(request.error.operation, 0)
    const rejected = await service.call('POST', path, { body: { ...body(), outputs: [{ format: 'webp' }] } })
    assert.deepEqual([rejected.status, rejected.body.error.param], [422, 'outputs.0.format'])
    const both = await service.call('POST', path, { body: { ...body(), output: {}, outputs: [{}] } })
    assert.deepEqual([both.status, both.body.error.param], [422, 'output'])
  })
}

const withoutSource = ({ source: _, ...rest }: Record<string, unknown>) => rest
