import { z } from 'zod'
import { RequestFailure } from '../domain/errors.ts'
import type { Size } from '../domain/size.ts'
import { integer } from '../objects/fields.ts'
import { defineOperation } from './operation.ts'

const params = z.strictObject({
  x: integer(0, 20_000, 'Left edge of the rectangle, in pixels from the left.'),
  y: integer(0, 20_000, 'Top edge of the rectangle, in pixels from the top.'),
  width: integer(1, 20_000, 'Width of the rectangle, in pixels.'),
  height: integer(1, 20_000, 'Height of the rectangle, in pixels.'),
})

export const crop = defineOperation({
  name: 'crop',
  description: 'Keeps a rectangle, trimmed to the image.',
  params,

  image: (p, frame) => [{ step: 'extract', ...withinFrame(p, frame) }],

  video(p, size) {
    const { left, top, width, height } = withinFrame(p, size)
    // Without `exact`, libav rounds odd offsets to even numbers if the color planes have half size.
    return [{ name: 'crop', args: { w: width, h: height, x: left, y: top, exact: 1 } }]
  },
})

function withinFrame(p: z.output<typeof params>, frame: Size) {
  if (p.x >= frame.width || p.y >= frame.height) {
    throw new RequestFailure(
      'processing_failed',
      `The crop starts at ${p.x}, ${p.y}, outside the image, which is ${frame.width} × ${frame.height} pixels before the crop. Choose x below ${frame.width} and y below ${frame.height}.`,
    )
  }
  return {
    left: p.x,
    top: p.y,
    width: Math.min(p.width, frame.width - p.x),
    height: Math.min(p.height, frame.height - p.y),
  }
}
