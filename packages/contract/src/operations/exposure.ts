import { z } from 'zod'
import { defineOperation, integer } from './operation.ts'

export const exposure = defineOperation({
  name: 'exposure',
  description:
    'Makes the picture brighter or darker by stops of light, and its contrast stronger or weaker; black and white stay.',
  params: z.strictObject({
    brightness: integer(
      -100,
      100,
      'Bends the tones: 50 makes middle gray one stop brighter, -100 two stops darker.',
    ).default(0),
    contrast: integer(-100, 100, 'Parts or gathers the tones around middle gray along an S-curve.').default(0),
  }),

  image(p) {
    if (p.brightness === 0 && p.contrast === 0) return []
    const stops = p.brightness / 50
    const steepness = (p.contrast / 100) * MOST_STEEPNESS
    const table = Uint8Array.from({ length: 256 }, (_, value) => {
      const brightened = toEncoded(bendLight(toLight(value / 255), stops))
      return Math.round(255 * bendContrast(brightened, steepness))
    })
    return [{ step: 'tones', table }]
  },
})

/** The light that middle gray gives back, of white's: what light meters and photographers call middle. */
const MIDDLE_LIGHT = 0.18

/** At contrast 100 tones around middle gray lie twice as far apart, and at -100 half as far. */
const MOST_STEEPNESS = 4

/**
 * Light 0 to 1 after a change by so many stops of middle gray.
 *
 * A hyperbola through black, middle gray at its new place, and white: shadows change by the same factor and lights less
 * and less, so nothing is clipped. A power of the light would do the same, and turn the darkest tones to gray.
 */
function bendLight(light: number, stops: number): number {
  const factor = 2 ** stops
  return (factor * (1 - MIDDLE_LIGHT) * light) / (1 - factor * MIDDLE_LIGHT + (factor - 1) * light)
}

/** An sRGB value 0 to 1 on an S-curve that leaves black, middle gray and white where they are; 0 changes nothing. */
function bendContrast(value: number, steepness: number): number {
  if (steepness === 0) return value
  // Raised to this power, middle gray is the middle, around which a curve can be the same on either side.
  const centering = Math.log(0.5) / Math.log(toEncoded(MIDDLE_LIGHT))
  const fromMiddle = 2 * value ** centering - 1
  const most = Math.tanh(Math.abs(steepness) / 2)
  const bent =
    steepness > 0
      ? Math.tanh((fromMiddle * steepness) / 2) / most
      : // The inverse: -30 takes back what 30 did.
        (2 * Math.atanh(fromMiddle * most)) / -steepness
  return ((1 + bent) / 2) ** (1 / centering)
}

// IEC 61966-2-1, sRGB's own curve.
const toLight = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const toEncoded = (light: number) => (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055)
