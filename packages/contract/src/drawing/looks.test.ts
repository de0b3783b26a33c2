import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { LOOK_NAMES, LOOKS } from './looks.ts'

test('the 18 filters have the names and the order of the specification, and every filter has a definition [operations.filter.2]', () => {
  const names =
    'amaro apollo brannan earlybird gotham hefe inkwell kelvin lomo nashville poprocket rise sierra toaster valencia walden willow xpro2'
  assert.deepEqual(LOOK_NAMES, names.split(' '))
  assert.deepEqual(Object.keys(LOOKS), names.split(' '))
  for (const look of Object.values(LOOKS)) assert.ok(look.steps.length > 0)
})

test('every filter definition has valid numbers: curves and colors are 0 to 255, and radial layers end farther out than they start', () => {
  const inByte = (value: number) => value >= 0 && value <= 255
  for (const [name, { steps, radials }] of Object.entries(LOOKS)) {
    for (const step of steps) {
      if (step.step === 'curves') {
        for (const curve of [step.all, step.red, step.green, step.blue]) assert.ok((curve ?? []).every(inByte), name)
      }
      if (step.step === 'solid') assert.ok(step.color.every(inByte) && step.opacity > 0 && step.opacity <= 1, name)
    }
    for (const { color, inner, outer } of radials) {
      assert.ok(color.every(inByte), name)
      assert.ok(0 <= inner.at && inner.at < outer.at && outer.at <= 1, name)
      for (const { opacity } of [inner, outer]) assert.ok(opacity >= 0 && opacity <= 1, name)
    }
  }
})

test('the filter definitions do not change between versions, so that a repeated request makes the same image [operations.filter.2]', () => {
  const sum = createHash('sha256').update(JSON.stringify(LOOKS)).digest('hex')
  assert.equal(
    sum.slice(0, 16),
    '4994edcef03aaba8',
    'A recipe has changed. Update this sum, docs/assets/looks.jpg, and the changelog.',
  )
})
