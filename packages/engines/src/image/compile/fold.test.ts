import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import { planImage } from '@mediamill/media/plan/image'
import { foldSteps } from './fold.ts'
import { PASS_THROUGH } from './pipeline.ts'

const limits = { maxFramePixels: 100_000_000, maxSourcePixels: 400_000_000 }
const source = { format: 'JPEG', width: 400, height: 300, orientation: 6, frames: 1 } as const

function stagesOf(operations: object[]) {
  return foldSteps(planImage(operationsSchema('image').parse(operations), source, { format: 'jpg', limits }).steps)
}
const pipeline = (parts: object) => ({ kind: 'pipeline', pipeline: { ...PASS_THROUGH, ...parts } })

test('the image compiler combines consecutive steps into one sharp pipeline if sharp runs the steps in the same order', () => {
  const border = { top: 1, bottom: 2, left: 3, right: 4, color: '#fff' }
  const [only, ...more] = stagesOf([
    { type: 'crop', x: 10, y: 20, width: 200, height: 100 },
    { type: 'resize', width: 100, height: 100 },
    { type: 'flip', horizontal: true },
    { type: 'rotate', degrees: 90 },
    { type: 'border', ...border },
  ])
  assert.deepEqual(more, [])
  assert.partialDeepStrictEqual(
    only,
    pipeline({
      extract: { left: 10, top: 20, width: 200, height: 100 },
      resize: { width: 100, height: 50 },
      mirror: true,
      turn: 90,
      extend: { top: 1, bottom: 2, left: 3, right: 4 },
    }),
  )
})

test('the image compiler moves a resize before an upright rotation, so that the JPEG decoder can reduce the image while decoding', () => {
  assert.deepEqual(stagesOf([{ type: 'orient' }, { type: 'resize', width: 30, height: 40 }]), [
    pipeline({ resize: { width: 40, height: 30 }, turn: 90 }),
  ])
})

test('the image compiler replaces crops after rotations and flips by one earlier crop of the stored image', () => {
  assert.deepEqual(
    stagesOf([
      { type: 'rotate', degrees: 90, flip_horizontal: true },
      { type: 'crop', x: 5, y: 7, width: 11, height: 13 },
      { type: 'crop', x: 1, y: 2, width: 3, height: 4 },
    ]),
    [pipeline({ mirror: true, turn: 270, extract: { left: 9, top: 6, width: 4, height: 3 } })],
  )
})

test('a step that sharp would run before an earlier step starts a new pipeline', () => {
  const kinds = (operations: object[]) => stagesOf(operations).map((stage) => stage.kind)
  const resize = { type: 'resize', width: 50, height: 50 }
  const border = { type: 'border', top: 1, bottom: 1, left: 1, right: 1, color: '#000' }
  const tilt = { type: 'rotate', degrees: 7 }
  const flip = { type: 'flip', vertical: true }
  const crop = { type: 'crop', x: 0, y: 0, width: 9, height: 9 }
  const both = ['pipeline', 'pipeline']
  for (const pair of [
    [resize, resize],
    [resize, tilt],
    [resize, { ...border, color: '#00000080' }],
    [border, resize],
    [tilt, resize],
    [tilt, crop],
    [tilt, flip],
    [tilt, tilt],
    [border, border],
    [border, crop],
  ]) {
    assert.deepEqual(kinds(pair), both, JSON.stringify(pair))
  }
  assert.deepEqual(kinds([{ ...resize, crop_center: true }, border]), both)
  assert.deepEqual(kinds([resize, { type: 'sepia', threshold: 50 }, border]), ['pipeline', 'in place', 'pipeline'])
})
