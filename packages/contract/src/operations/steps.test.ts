import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOperation } from './index.ts'
import { operationsSchema } from './schema.ts'

const steps = (type: string, params: object, size = { width: 640, height: 360 }) => {
  const [parsed] = operationsSchema('image').parse([{ type, ...params }])
  const { type: _, ...rest } = parsed ?? { type }
  return findOperation(type)?.image?.(rest, { ...size, orientation: 1 })
}

test('an image operation compiles to a list of steps with plain numbers', () => {
  const black = { r: 0, g: 0, b: 0, alpha: 255 }
  const turn = (degrees: number) => ({ step: 'turn', degrees })
  const flip = (horizontal: boolean, vertical: boolean) => ({ step: 'flip', horizontal, vertical })
  const resize = (width: number, height: number, fit = 'fill') => ({ step: 'resize', to: { width, height }, fit })
  const cases: [type: string, params: object, expected: object[]][] = [
    ['flip', {}, []],
    ['flip', { horizontal: true }, [flip(true, false)]],
    ['flip', { vertical: true }, [flip(false, true)]],
    ['flip', { horizontal: true, vertical: true }, [flip(true, true)]],
    ...[0, 360, -360].map((degrees): (typeof cases)[number] => ['rotate', { degrees }, []]),
    ['rotate', { degrees: 1 }, [turn(1)]],
    ['rotate', { degrees: -1 }, [turn(359)]],
    ['rotate', { degrees: -270 }, [turn(90)]],
    ['rotate', { degrees: 0, flip_horizontal: true }, [flip(true, false)]],
    ['rotate', { degrees: 180, flip_vertical: true }, [turn(180), flip(false, true)]],
    ['resize', { width: 320, height: 320 }, [resize(320, 180)]],
    ['resize', { width: 320, height: 320, preserve_aspect_ratio: false }, [resize(320, 320)]],
    ['resize', { width: 320, height: 320, crop_center: true }, [resize(320, 320, 'cover')]],
    [
      'resize',
      { width: 320, height: 320, crop_center: true, preserve_aspect_ratio: false },
      [resize(320, 320, 'cover')],
    ],
    ['thumbnail', { width: 64 }, [resize(64, 36)]],
    ['thumbnail', { width: 640, height: 18, quality: 7 }, [resize(32, 18), { step: 'encode', quality: 7 }]],
    ['compress', { quality: 1 }, [{ step: 'encode', quality: 1 }]],
    ['crop', { x: 639, y: 359, width: 9, height: 9 }, [{ step: 'extract', left: 639, top: 359, width: 1, height: 1 }]],
    ['crop', { x: 0, y: 0, width: 9, height: 8 }, [{ step: 'extract', left: 0, top: 0, width: 9, height: 8 }]],
    ['filter', { name: 'lomo' }, [{ step: 'look', name: 'lomo', strength: 1 }]],
    ['filter', { name: 'lomo', strength: 1 }, [{ step: 'look', name: 'lomo', strength: 0.01 }]],
    ['remove_background', { tolerance: 5 }, [{ step: 'cutout', tolerance: 0.05, blur: 0 }]],
    ['remove_background', { tolerance: 100, blur: 10 }, [{ step: 'cutout', tolerance: 1, blur: 10 }]],
    ...[
      { top: 2 },
      { bottom: 2 },
      { left: 2 },
      { right: 2 },
      { top: 2, bottom: 2 },
      { left: 1, right: 1 },
      { left: 1 },
    ].map((widths): (typeof cases)[number] => {
      const sides = { top: 0, bottom: 0, left: 0, right: 0, ...widths }
      return ['border', { ...sides, color: '000' }, [{ step: 'extend', ...sides, color: black }]]
    }),
    ['border', { top: 0, bottom: 0, left: 0, right: 0, color: '000' }, []],
  ]
  for (const [type, params, expected] of cases) {
    assert.deepEqual(steps(type, params), expected, `${type} ${JSON.stringify(params)}`)
  }
})

test('sepia tints white in proportion to its strength, and keeps black [operations.sepia.1]', () => {
  const rows = (threshold: number): number[][] => {
    const [step] = (steps('sepia', { threshold }) ?? []) as { step: string; rows: number[][] }[]
    assert.equal(step?.step, 'matrix')
    return step?.rows ?? []
  }
  const of = (matrix: number[][], [r, g, b]: readonly [number, number, number]) =>
    matrix.map(([red = 0, green = 0, blue = 0, more = 0]) => Math.round(red * r + green * g + blue * b + more))
  assert.deepEqual(of(rows(100), [0, 0, 0]), [0, 0, 0])
  assert.deepEqual(of(rows(100), [100, 100, 100]), [135, 120, 94])
  assert.deepEqual(of(rows(50), [100, 100, 100]), [118, 110, 97])
  assert.deepEqual(of(rows(1), [100, 0, 0]), [99, 0, 0])
})
