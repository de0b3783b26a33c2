import { z } from 'zod'
import { ORIENTATIONS, SOURCE_FORMATS } from '../domain/media.ts'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { pixelSize, size } from './metadata.ts'

const text = (description: string) => z.string().nullable().optional().meta({ description })
const share = z.number().min(0).max(1)

const fullMetadata = {
  camera: text('Make and model of the camera; null if the file does not name them. Only with `level: "full"`.'),
  captured_at: text(
    'Time of capture by the camera’s clock, such as `2024-05-01T12:30:00`, with the UTC offset if the file names it. Only with `level: "full"`.',
  ),
  copyright: text('Copyright notice in EXIF, IPTC, or XMP. Only with `level: "full"`.'),
  artist: text('Creator in EXIF, IPTC, or XMP. Only with `level: "full"`.'),
  color_profile: text('Name of the embedded ICC profile. Only with `level: "full"`.'),
  content_credentials: z.boolean().optional().meta({
    description:
      'Whether the file contains content credentials (C2PA). They are not verified. Only with `level: "full"`.',
  }),
  location: z
    .strictObject({
      latitude: z.number().min(-90).max(90).meta({ description: 'Degrees north of the equator.' }),
      longitude: z.number().min(-180).max(180).meta({ description: 'Degrees east of Greenwich.' }),
    })
    .meta({ id: 'ImageLocation', description: 'Where an image was taken.' })
    .nullable()
    .optional()
    .meta({ description: 'Location in EXIF; null without one. Only with `level: "full"`.' }),
  colors: z
    .array(
      z
        .strictObject({
          color: z.string().meta({ description: 'Color as `#RRGGBB`.' }),
          share: share.meta({ description: 'Share of the visible pixels.' }),
        })
        .meta({ id: 'ImageColor', description: 'A dominant color of an image.' }),
    )
    .max(5)
    .nullable()
    .optional()
    .meta({
      description:
        'Up to five dominant colors of the first frame, most frequent first. Each has at least 2 % of the visible pixels. Null for an image over the pixel limits. Only with `level: "full"`.',
    }),
  thumbhash: z.string().nullable().optional().meta({
    description:
      'ThumbHash of the upright first frame in base64; null for an image over the pixel limits. Only with `level: "full"`.',
  }),
}

export const imagesRead = defineEndpoint({
  name: 'images/read',
  title: 'Read an image',
  description: 'Returns the metadata of an image.',
  media: 'image',
  lane: 'image',
  paidOnly: false,
  body: z.strictObject({
    level: z.enum(['basic', 'full']).optional().meta({
      description:
        'How much to read. `basic`, the default, reads the header. `full` also reads embedded metadata and decodes the image.',
    }),
  }),
  price: microUsd(500),
  priceUnit: 'request',
  // Headers and EXIF are nearly always within the first 64 KiB.
  firstBytes: 64 * 1024,
  data: z.strictObject({
    frames: z.int().positive().meta({ description: 'Frames of an animation, or pages of a TIFF; otherwise 1.' }),
    orientation: z.enum(ORIENTATIONS).meta({
      description:
        'EXIF orientation. `RightTop` means that the first stored row is at the right of the displayed image, and the first column at its top. `TopLeft` is upright.',
    }),
    format: z.enum(SOURCE_FORMATS.image).meta({ description: 'Format of the file, detected by its content.' }),
    colorspace: z.enum(['sRGB', 'CMYK', 'Gray', 'Lab']).meta({ description: 'Color model of the stored pixels.' }),
    ...pixelSize,
    size,
    ...fullMetadata,
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
