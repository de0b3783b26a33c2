import { z } from 'zod'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { imageFormat, output, pixelSize, size } from './facts.ts'

export const videosScreenshot = defineEndpoint({
  name: 'videos/screenshot',
  description: 'Makes an image of one moment of a video.',
  media: 'video',
  lane: 'video_look',
  paidOnly: true,
  body: z.strictObject({
    seconds: z.int().min(0).max(86_400).meta({ description: 'Moment in seconds from the start.' }),
    output: output(['jpg', 'png']),
  }),
  price: microUsd(2_000),
  priceUnit: 'request',
  // An index often lies in the first quarter of a mebibyte.
  firstBytes: 256 * 1024,
  data: z.strictObject({ ...pixelSize, format: imageFormat, size, seconds: z.int().nonnegative() }),
  example: {
    body: { seconds: 12, output: { format: 'png' } },
    data: { width: 1920, height: 1080, format: 'PNG', size: 2_301_877, seconds: 12 },
  },
})
