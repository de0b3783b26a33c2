import { z } from 'zod'
import type { Size } from '../domain/size.ts'
import { turnedSize } from '../drawing/sizes.ts'
import type { VideoFilter } from '../drawing/video-filters.ts'
import { integer } from '../objects/fields.ts'
import { mirror } from './flip.ts'
import { defineOperation, flag } from './operation.ts'

const params = z.strictObject({
  degrees: integer(-360, 360, 'Angle in degrees, clockwise. Negative values rotate counterclockwise.'),
  flip_horizontal: flag('Flip left and right after the rotation.'),
  flip_vertical: flag('Flip top and bottom after the rotation.'),
})

export const rotate = defineOperation({
  name: 'rotate',
  description: 'Rotates clockwise by any angle, then optionally flips. The canvas expands to fit.',
  params,

  image(p) {
    const degrees = clockwise(p.degrees)
    const mirrored = { step: 'flip' as const, horizontal: p.flip_horizontal, vertical: p.flip_vertical }
    return [
      ...(degrees === 0 ? [] : [{ step: 'turn' as const, degrees }]),
      ...(p.flip_horizontal || p.flip_vertical ? [mirrored] : []),
    ]
  },

  video: (p, size) => [...turn(clockwise(p.degrees), size), ...mirror(p.flip_horizontal, p.flip_vertical)],
})

const clockwise = (degrees: number) => ((degrees % 360) + 360) % 360

function turn(degrees: number, size: Size): VideoFilter[] {
  switch (degrees) {
    case 0:
      return []
    case 90:
      return [{ name: 'transpose', args: { dir: 'clock' } }]
    case 180:
      return mirror(true, true)
    case 270:
      return [{ name: 'transpose', args: { dir: 'cclock' } }]
    default: {
      const { width, height } = turnedSize(size, degrees)
      // A video has no transparency, so its new corners are white (operations.rotate.2). The angle is in radians.
      const args = { angle: (degrees * Math.PI) / 180, out_w: width, out_h: height, fillcolor: 'white' }
      return [{ name: 'rotate', args }]
    }
  }
}
