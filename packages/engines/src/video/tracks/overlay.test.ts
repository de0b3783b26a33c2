import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { overlayFrame, overlayPlanes } from './overlay.ts'

const image = (width: number, height: number, paint: (x: number, y: number) => readonly number[]) => {
  const data = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) data.set(paint(x, y), (y * width + x) * 4)
  }
  return { data, width, height, channels: 4 as const }
}

test('an overlay converts colors to limited range [ITU-R BT.709, BT.601]', () => {
  const colors = [
    [255, 255, 255, 255],
    [0, 0, 0, 255],
    [255, 0, 0, 255],
    [0, 0, 255, 255],
  ]
  const row = image(4, 1, (x) => colors[x] ?? [])
  const told = (matrix: 'bt709' | 'smpte170m') =>
    overlayPlanes(row, matrix, false)
      .slice(0, 3)
      .map((plane) => [...plane])
  assert.deepEqual(told('bt709'), [
    [235, 16, 63, 32],
    [128, 128, 102, 240],
    [128, 128, 240, 118],
  ])
  assert.deepEqual(told('smpte170m'), [
    [235, 16, 81, 41],
    [128, 128, 90, 240],
    [128, 128, 240, 110],
  ])
})

test('transparent overlay pixels do not tint the chroma sample that they share with opaque pixels', () => {
  const edge = image(3, 3, (x, y) => (x === 1 && y === 1 ? [255, 0, 0, 255] : [0, 255, 0, 0]))
  const [luma, blueDifference, redDifference, alpha] = overlayPlanes(edge, 'bt709', true)
  assert.deepEqual([luma.length, blueDifference.length, redDifference.length, alpha.length], [9, 4, 4, 9])
  assert.deepEqual([blueDifference[0], redDifference[0], redDifference[1], alpha[4], alpha[0]], [102, 240, 128, 255, 0])
})

test('garbage collection does not change an overlay frame, because the frame owns its memory', () => {
  const script = `
    import { overlayFrame } from '${join(import.meta.dirname, 'overlay.ts')}'
    const make = () => {
      const data = Buffer.alloc(303 * 201 * 4, 255)
      return overlayFrame({ name: 'a', pixels: 'yuv420p', image: { data, width: 303, height: 201, channels: 4 } }, 'bt709')
    }
    const frame = make()
    const held = []
    for (let round = 0; round < 20; round += 1) {
      gc(); await new Promise(setImmediate)
      for (let times = 0; times < 20; times += 1) held.push(Buffer.alloc(303 * 201, round))
    }
    const [luma, blueDifference] = frame.data
    console.log(luma[0], luma[302], luma[200 * frame.linesize[0] + 302], blueDifference[100 * frame.linesize[1] + 151])`
  const args = ['--expose-gc', '--input-type=module', '-e', script]
  assert.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim(), '235 235 235 128')
})

test('an overlay is converted with the color matrix of the video frames', () => {
  const white = image(5, 3, () => [255, 255, 255, 255])
  using half = overlayFrame({ name: 'a', pixels: 'yuv420p', image: white }, 'bt709')
  using full = overlayFrame({ name: 'a', pixels: 'yuv444p', image: white }, 'smpte170m')
  assert.notEqual(half.format, full.format)
  assert.notEqual(half.colorSpace, full.colorSpace)
  assert.deepEqual([half.width, half.height, half.pts], [5, 3, 0n])
})
