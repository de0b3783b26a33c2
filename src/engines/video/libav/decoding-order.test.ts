import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodingOrder } from './decoding-order.ts'

/** Hands in packets by the order of decoding: when each is shown, and its own time of decoding. */
function ordered(packets: readonly [pts: number, own: number][], options = {}): number[] {
  const order = new DecodingOrder({ frame: 20n }, options)
  return packets.map(([pts, own]) => Number(order.next(BigInt(pts), BigInt(own))))
}

test('packets of two parts are decoded in one order, as many frames before they are shown as in the first', () => {
  const first: [number, number][] = [
    [0, -2],
    [3, -1],
    [1, 0],
    [2, 1],
  ]
  const second: [number, number][] = [
    [4, 2],
    [7, 3],
    [5, 4],
    [6, 5],
  ]
  assert.deepEqual(ordered([...first, ...second]), [-2, -1, 0, 1, 2, 3, 4, 5])
})

test('where frames are of different lengths, times of decoding rise across a cut', () => {
  // The second part alone would begin 100 before its first frame, before the last packets of the first.
  const times = ordered([
    [0, -20],
    [30, -10],
    [10, 0],
    [20, 10],
    [40, -60],
    [240, -50],
    [140, 40],
  ])
  assert.deepEqual(times, [-20, -10, 0, 10, 20, 30, 40])
})

test('behind a first part of one frame or two, no packet is shown before it is decoded', () => {
  const behind: [number, number][] = [
    [100, 80],
    [130, 90],
    [110, 100],
    [120, 110],
  ]
  assert.deepEqual(ordered([[0, 0], ...behind]), [-2, -1, 0, 100, 110])
  assert.deepEqual(ordered([[0, 0], [50, 50], ...behind]), [-2, -1, 0, 50, 100, 110])
})

test('a still before frames that move is decoded just before it is shown, however long it stands', () => {
  const packets: [number, number][] = [
    [0, -4040],
    [4000, -40],
    [4040, 0],
    [4120, 4000],
    [4080, 4040],
  ]
  assert.deepEqual(ordered(packets), [-2, -1, 0, 4000, 4040])
  assert.deepEqual(ordered(packets, { isOneCoding: true }), [-2, -1, 0, 4000, 4040])
})

test('a coding that holds one frame back, or none, is decoded as it is', () => {
  const one: [number, number][] = [
    [0, -20],
    [40, 0],
    [20, 20],
  ]
  assert.deepEqual(ordered(one, { isOneCoding: true }), [-20, 0, 20])
  assert.deepEqual(ordered([[0, 0]], { isOneCoding: true }), [0])
})
