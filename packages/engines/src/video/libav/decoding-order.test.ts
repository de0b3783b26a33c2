import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodingOrder } from './decoding-order.ts'

function decoded(shown: number[], lead = 2): number[] {
  const order = new DecodingOrder({ tick: 1n, lead: BigInt(lead) })
  const packets = shown.map((pts) => ({ pts: BigInt(pts), dts: 0n }))
  const settled = [...packets.flatMap((packet) => order.put(packet) ?? []), ...order.end()]
  assert.deepEqual(settled, packets, 'they come as they were handed in')
  return settled.map(({ dts }) => Number(dts))
}

test('if all frames have the same duration, each frame is decoded a constant number of frames before its display', () => {
  assert.deepEqual(decoded([0, 3, 1, 2, 4, 8, 6, 5, 7]), [-2, -1, 0, 1, 2, 3, 4, 5, 6])
  assert.deepEqual(decoded([0, 60, 20, 40, 80], 40), [-40, -20, 0, 20, 40])
  assert.deepEqual(decoded([5]), [3])
})

test('each frame is decoded a constant time before its display, even if frame durations differ', () => {
  const shown = [0, 4000, 4040, 4050, 9050]
  assert.deepEqual(
    decoded(shown, 80),
    shown.map((time) => time - 80),
  )
})

test('if the first frames are shorter than the others, every frame is decoded two short frame durations before its display', () => {
  assert.deepEqual(decoded([500, 520, 510, 530, 2000, 3000], 2000), [480, 490, 500, 510, 1980, 2980])
  assert.deepEqual(decoded([0, 1, 2, 3, 1000], 80), [-2, -1, 0, 1, 998])
})

test('decoding times increase, and every frame is decoded before its display, even if a frame lasts longer than the decoding lead', () => {
  for (const shown of [
    [0, 180_000, 60_000, 120_000, 240_000],
    [0, 1000, 500, 400, 600, 2000, 1500],
    [0, 4, 2, 1, 3, 8, 6, 5, 7],
    [0, 1, 3, 2, 1000, 1001, 1003, 1002],
  ])
    for (const lead of [2, 3, 40, 5000]) {
      const times = decoded(shown, lead)
      for (const [index, time] of times.entries()) {
        assert.ok(time <= (shown[index] ?? 0), `${time} of ${times} by ${lead}`)
        assert.ok(index === 0 || time > (times[index - 1] ?? 0), `${time} of ${times} by ${lead}`)
      }
    }
})
