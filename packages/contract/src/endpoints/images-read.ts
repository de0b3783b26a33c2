import { z } from 'zod'
import { ORIENTATIONS, SOURCE_FORMATS } from '../domain/media.ts'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { pixelSize, size } from './facts.ts'

export const imagesRead = defineEndpoint({
  name: 'images/read',
  title: 'Read an image',
  description: 'Tells the facts of an image without changing it.',
  media: 'image',
  lane: 'image',
  paidOnly: false,
  body: z.strictObject({}),
  price: microUsd(500),
  priceUnit: 'request',
  // Headers and their EXIF nearly always lie in the first 64 KiB.
  firstBytes: 64 * 1024,
  data: z.strictObject({
    frames: z.int().positive().meta({ description: 'Frames of an animation, pages of a TIFF, else 1.' }),
    orientation: z
      .enum(ORIENTATIONS)
      .meta({ description: 'Where the first row and the first column are shown, from EXIF; `TopLeft` is upright.' }),
    format: z.enum(SOURCE_FORMATS.image).meta({ description: 'Format of the file, judged by its content.' }),
    colorspace: z.enum(['sRGB', 'CMYK', 'Gray', 'Lab']).meta({ description: 'Colour model of the stored pixels.' }),
    ...pixelSize,
    size,
  }),
  example: {
    body: {},
    data: {
      frames: 1,
      orientation: 'RightTop',
      format: 'JPEG',
      colorspace: 'sRGB',
      width: 1067,
      height: 1600,
      size: 67_759,
    },
  },
})
