import { z } from 'zod'
import { ORIENTATIONS, SOURCE_FORMATS } from '../domain/media.ts'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { pixelSize, size } from './facts.ts'

export const imagesRead = defineEndpoint({
  name: 'images/read',
  description: 'Tells the facts of an image without changing it.',
  media: 'image',
  paidOnly: false,
  body: z.strictObject({}),
  price: microUsd(500),
  priceUnit: 'request',
  // Headers and their EXIF nearly always lie in the first 64 KiB.
  firstBytes: 64 * 1024,
  data: z.strictObject({
    frames: z.int().positive().meta({ description: 'Frames of an animation, pages of a TIFF, else 1.' }),
    orientation: z.enum(ORIENTATIONS),
    format: z.enum(SOURCE_FORMATS.image),
    colorspace: z.enum(['sRGB', 'CMYK', 'Gray', 'Lab']),
    ...pixelSize,
    size,
  }),
  example: {
    body: {},
    data: {
      frames: 1,
      orientation: 'TopLeft',
      format: 'JPEG',
      colorspace: 'sRGB',
      width: 4000,
      height: 2670,
      size: 1_839_204,
    },
  },
})
