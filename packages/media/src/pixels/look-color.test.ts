import assert from 'node:assert/strict'
import { test } from 'node:test'
import { colorChange } from './look-color.ts'

type Blend = Extract<Parameters<typeof colorChange>[0], { step: 'solid' }>['blend']

test('blending a color over an image gives the same result as in libvips [operations.filter.2]', () => {
  // libvips 8.18.7: composite of (200, 100, 30) over (40, 128, 220).
  const expected: Record<Exclude<Blend, 'normal' | 'color'>, number[]> = {
    multiply: [31, 50, 25],
    screen: [208, 177, 224],
    overlay: [62, 100, 193],
    'soft-light': [74, 114, 196],
    lighten: [200, 128, 220],
    darken: [40, 100, 30],
    exclusion: [177, 127, 198],
    'color-dodge': [185, 210, 249],
  }
  for (const [blend, bytes] of Object.entries(expected) as [Blend, number[]][]) {
    const color: [number, number, number] = [40 / 255, 128 / 255, 220 / 255]
    colorChange({ step: 'solid', color: [200, 100, 30], opacity: 1, blend })(color)
    for (const [channel, value] of color.entries())
      assert.ok(Math.abs(value * 255 - (bytes[channel] ?? 0)) <= 1, `${blend} ${channel}: ${value * 255}`)
  }
})
