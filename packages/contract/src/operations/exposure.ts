import { z } from 'zod'
import { integer } from '../objects/fields.ts'
import { defineOperation } from './operation.ts'

export const exposure = defineOperation({
  name: 'exposure',
  description: 'Changes brightness in stops of light, and contrast. Black and white stay unchanged.',
  params: z.strictObject({
    brightness: integer(
      -100,
      100,
      'Brightness: 50 makes middle gray one stop brighter, -100 two stops darker.',
    ).default(0),
    contrast: integer(-100, 100, 'Contrast: positive values increase it, negative values decrease it.').default(0),
  }),

  image(p) {
    if (p.brightness === 0 && p.contrast === 0) return []
    const stops = p.brightness / 50
    const steepness = (p.contrast / 100) * MAX_STEEPNESS
    const table = Uint8Array.from({ length: 256 }, (_, value) => {
      const brightened = toEncoded(bendLight(toLight(value / 255), stops))
      return Math.round(255 * bendContrast(brightened, steepness))
    })
    return [{ step: 'tones', table }]
  },
})

/** The brightness of middle gray in linear light, where white is 1. Light meters use the same reference. */
const MIDDLE_LIGHT = 0.18

/** The steepness at contrast 100, which doubles distances of tones near middle gray. Contrast -100 halves them. */
const MAX_STEEPNESS = 4

/** Changes `light` (0 to 1) by `stops` at middle gray. Never clips. A power function would turn dark tones gray. */
function bendLight(light: number, stops: number): number {
  const factor = 2 ** stops
  return (factor * (1 - MIDDLE_LIGHT) * light) / (1 - factor * MIDDLE_LIGHT + (factor - 1) * light)
}

/** Applies an S-curve to an sRGB value, 0 to 1. Black, middle gray, and white stay the same. */
function bendContrast(value: number, steepness: number): number {
  if (steepness === 0) return value
  // This power maps middle gray to 0.5, the center of the symmetric curve.
  const centering = Math.log(0.5) / Math.log(toEncoded(MIDDLE_LIGHT))
  const fromMiddle = 2 * value ** centering - 1
  const maxValue = Math.tanh(Math.abs(steepness) / 2)
  const bent =
    steepness > 0
      ? Math.tanh((fromMiddle * steepness) / 2) / maxValue
      : // The inverse curve, so that contrast -30 undoes contrast 30.
        (2 * Math.atanh(fromMiddle * maxValue)) / -steepness
  return ((1 + bent) / 2) ** (1 / centering)
}

// The sRGB transfer curve (IEC 61966-2-1).
const toLight = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const toEncoded = (light: number) => (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055)
