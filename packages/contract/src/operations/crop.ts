import { z } from 'zod'
import { RequestFailure } from '../domain/errors.ts'
import type { Size } from '../domain/size.ts'
import { defineOperation, pixels } from './operation.ts'

const params = z.strictObject({
  x: pixels(0, 20_000, 'Left edge of the part to keep, in pixels from the left.'),
  y: pixels(0, 20_000, 'Top edge of the part to keep, in pixels from the top.'),
  width: pixels(1, 20_000, 'Width of the part to keep, in pixels.'),
  height: pixels(1, 20_000, 'Height of the part to keep, in pixels.'),
})

export const crop = defineOperation({
  name: 'crop',
  description: 'Cuts out a rectangle; what of it lies outside the picture is trimmed away.',
  params,

  image: (p, frame) => [{ step: 'extract', ...withinFrame(p, frame) }],

  video(p, size) {
    const { left, top, width, height } = withinFrame(p, size)
    // Without `exact` libav moves odd offsets to even ones where the colour is stored at half size.
    return [{ name: 'crop', args: { w: width, h: height, x: left, y: top, exact: 1 } }]
  },
})

/** Rulings 3: a crop that sticks out is trimmed to the picture; with nothing left the request fails. */
function withinFrame(p: z.output<typeof params>, frame: Size) {
  if (p.x >= frame.width || p.y >= frame.height) {
    throw new RequestFailure(
      'processing_failed',
      `The crop starts at ${p.x}, ${p.y}, outside the picture, which is ${frame.width} × ${frame.height} pixels at that point. Choose x below ${frame.width} and y below ${frame.height}.`,
    )
  }
  return {
    left: p.x,
    top: p.y,
    width: Math.min(p.width, frame.width - p.x),
    height: Math.min(p.height, frame.height - p.y),
  }
}
