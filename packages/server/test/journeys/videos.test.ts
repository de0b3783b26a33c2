import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '@mediamill/lab/support/process'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { sharedSourceServer, startSourceServer } from '@mediamill/lab/support/source-server'
import { counting, makeClip, noise } from '@mediamill/lab/support/video-clip'
import sharp from 'sharp'

const folder = await sharedFolder('mediamill-videos-')
const sources = await sharedSourceServer()
const service = await sharedService({ allowed: [sources.host] })
await put('clip.mp4', { container: 'mp4', sound: ['aac'], frames: 50 })
// The index of the file is at its end.
await put('large.mp4', {
  container: 'mp4',
  width: 640,
  height: 360,
  frames: 100,
  paint: noise,
  encoder: { crf: '4', preset: 'ultrafast' },
})
const mark = sharp({ create: { width: 20, height: 20, channels: 3, background: '#ffffff' } })
sources.files.set('/mark.png', await mark.png().toBuffer())

async function put(name: string, options: Parameters<typeof makeClip>[1]): Promise<void> {
  await makeClip(join(folder, name), options)
  sources.files.set(`/${name}`, await readFile(join(folder, name)))
}

const sizeOf = (path: string) => (sources.files.get(path) as Buffer).length

test('metadata and screenshots download only part of a video, or the whole video if the source server does not support ranges', async () => {
  const size = sizeOf('/large.mp4')
  assert.ok(size > 2_000_000, `${size} bytes`)
  const before = sources.sent.bytes
  const source = sources.url('/large.mp4')
  const read = await service.finish('/v1/videos/read', { source })
  assert.deepEqual([read.status, read.result?.data.duration, read.result?.data.size], ['succeeded', 4, size])
  const cost = sources.sent.bytes - before
  assert.ok(cost < 600_000, `${cost} bytes of ${size}`)
  await using whole = await startSourceServer(
    { '/large.mp4': sources.files.get('/large.mp4') as Buffer },
    { ranges: false },
  )
  await using other = await startService({ allowed: [whole.host] })
  const shot = await other.finish('/v1/videos/screenshot', { source: whole.url('/large.mp4'), seconds: 3 })
  assert.equal(shot.status, 'succeeded', JSON.stringify(shot.error))
  assert.equal(whole.calls.length, 1)
})

test('metadata and screenshots do not wait for videos in processing, even if these videos use all slots', async () => {
  // This source never completes, so its request uses a slot until it is aborted.
  sources.files.set('/endless.mp4', (_call, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 })
    response.write(Buffer.alloc(1000))
  })
  const body = { source: sources.url('/endless.mp4'), operations: [{ type: 'grayscale' }] }
  const calls = Array.from({ length: 30 }, () => service.call('POST', '/v1/videos/process', { body }))
  const made = (await Promise.all(calls)).map((response) => response.body.id)
  const shot = await service.finish('/v1/videos/screenshot', { source: sources.url('/clip.mp4'), seconds: 1 })
  const read = await service.finish('/v1/videos/read', { source: sources.url('/clip.mp4') })
  assert.deepEqual([shot.status, read.status], ['succeeded', 'succeeded'])
  const ends = await Promise.all(made.map((id) => service.call('POST', `/v1/requests/${id}/abort`)))
  assert.deepEqual(new Set(ends.map(({ status }) => status)), new Set([200]), 'none of them had ended')
})

test('the progress of a video only increases until an abort, which stops the encoder and leaves no file [requests.abort.2, requests.object.4, streams.events.1]', async () => {
  // Even a fast machine needs many seconds for this number of frames.
  await put('long.mp4', { container: 'mp4', width: 160, height: 90, frames: 1000, paint: counting })
  const source = sources.url('/long.mp4')
  const operations = [{ type: 'resize', width: 3840, height: 2160, preserve_aspect_ratio: false }]
  const { body } = await service.call('POST', '/v1/videos/process', { body: { source, operations } })
  const stream = service.call('GET', `/v1/requests/${body.id}/events`)
  const seen: number[] = []
  while ((seen.at(-1) ?? 0) < 1) {
    const { body: now } = await service.call('GET', `/v1/requests/${body.id}`)
    assert.ok(now.status === 'queued' || now.status === 'processing', JSON.stringify(now.error))
    if (now.progress !== undefined) seen.push(now.progress)
  }
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  )
  const aborted = await service.call('POST', `/v1/requests/${body.id}/abort`)
  assert.deepEqual([aborted.status, aborted.body.status], [200, 'aborted'])
  const events = [...((await stream).body as string).matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    JSON.parse(data),
  )
  assert.equal(events.pop().status, 'aborted')
  const streamed = events.flatMap(({ progress }) => progress ?? [])
  assert.ok(streamed.length > 0 && streamed.every((percent, index) => index === 0 || percent > streamed[index - 1]))
  assert.ok(
    streamed.every((percent) => percent < 50),
    streamed.join(),
  )
  const scratch = join(service.dataDir, 'scratch')
  const leftOver = async (): Promise<string[]> => {
    // If a folder disappears during the listing, list the folder again.
    const names = await readdir(scratch, { recursive: true }).catch(() => ['source'])
    return names.filter((name) => /source$|result/.test(name))
  }
  await until(async () => (await leftOver()).length === 0)
})
