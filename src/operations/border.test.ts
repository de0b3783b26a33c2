import assert from 'node:assert/strict'
import { test } from 'node:test'
import { border } from './border.ts'

const frame = { width: 100, height: 80 }
const sides = (top: number, bottom: number, left: number, right: number) => ({ top, bottom, left, right, color: 'f00' })

test('a border of any side is drawn, whatever the widths of the others, and one of none is not [4.5]', () => {
  const all: [number, number, number, number][] = [
    [5, 0, 0, 0],
    [0, 5, 0, 0],
    [0, 0, 5, 0],
    [0, 0, 0, 5],
    [5, 5, 0, 0],
    [0, 5, 5, 0],
    [0, 0, 5, 5],
    [1, 0, 0, 0],
    [3, 4, 5, 6],
  ]
  for (const widths of all) {
    const [top, bottom, left, right] = widths
    const p = sides(...widths)
    const [step, ...more] = border.image?.(p, frame as never) ?? []
    assert.deepEqual(
      [{ ...step, color: undefined }, more],
      [{ step: 'extend', top, bottom, left, right, color: undefined }, []],
    )
    assert.deepEqual(border.video?.(p, frame), [
      {
        name: 'pad',
        args: { w: 100 + left + right, h: 80 + top + bottom, x: left, y: top, color: '0xff0000' },
      },
    ])
  }
  assert.deepEqual(border.image?.(sides(0, 0, 0, 0), frame as never), [])
  assert.deepEqual(border.video?.(sides(0, 0, 0, 0), frame), [])
})
