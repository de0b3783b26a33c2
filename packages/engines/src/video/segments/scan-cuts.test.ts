import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { failure } from '@mediamill/lab/support/failure'
import { openClip } from '@mediamill/lab/support/video-frames'
import { sharedTestFolder } from '../video-fixture.ts'
import { chooseCuts, scan } from './scan-cuts.ts'

const folder = await sharedTestFolder()

function broadcast(seconds: number): Promise<string> {
  const times = Array.from({ length: seconds }, (_, index) => index * 1000)
  const size = { width: 64, height: 64 }
  return folder.clip({ container: 'mpegts', ...size, times, encoder: { g: '1' }, paint: () => [9, 9, 9] })
}

test('the search for segment cuts reads a file without an index to its end, or to 30 s after max_duration', async () => {
  const file = await broadcast(60)
  await using whole = await openClip(file, 'MPEGTS')
  assert.equal((await scan(whole, undefined)).keyframes.length, 60)
  await using start = await openClip(file, 'MPEGTS')
  const { keyframes, seconds } = await scan(start, 2)
  assert.deepEqual([keyframes.length, Math.round(seconds)], [34, 33], 'the first frame after 32 s is the last')
})

test('the search for segment cuts rejects a broadcast whose video continues with another codec or in another track', async () => {
  const first = await readFile(await folder.clip({ container: 'mpegts', frames: 50 }))
  for (const options of [{ video: 'mpeg2video' }, { muxer: { mpegts_start_pid: '600' } }] as const) {
    const file = folder.path('joined.ts')
    const second = await readFile(await folder.clip({ container: 'mpegts', frames: 50, ...options }))
    await writeFile(file, Buffer.concat([first, second]))
    await using media = await openClip(file, 'MPEGTS')
    await assert.rejects(scan(media, undefined), failure(/^The video of the source continues with another/))
  }
})

test('the search for segment cuts chooses the last keyframe before each planned cut, and a segment is read from a byte offset before its keyframe', async () => {
  await using media = await openClip(await broadcast(12), 'MPEGTS')
  const scanned = await scan(media, undefined)
  const cutsOf = (segmentSeconds: number) =>
    chooseCuts(media, scanned, { seconds: 12, segmentSeconds, maxSegments: 10 })
  const cuts = cutsOf(4)
  assert.deepEqual(
    cuts.map(({ time, jumpSeconds }) => [Number(time) / 90_000, jumpSeconds]),
    [
      [4, 0],
      [8, 0],
    ],
  )
  const places = scanned.keyframes.map(({ start }) => start.byteOffset)
  assert.deepEqual(
    cuts.map(({ byteOffset }) => places.indexOf(byteOffset ?? -1)),
    [3, 7],
  )
  assert.deepEqual(cutsOf(7), [])
})
