import { z } from 'zod'
import { SOURCE_FORMATS } from '../domain/media.ts'

/** Facts that several endpoints show in `result.data` (Spec 2.4, rulings 2). */
export const pixelSize = {
  width: z.int().positive().meta({ description: 'Pixels.' }),
  height: z.int().positive().meta({ description: 'Pixels.' }),
}

export const size = z.int().nonnegative().meta({ description: 'Bytes.' })

export const imageFormat = z.enum(['JPEG', 'PNG', 'WEBP', 'GIF', 'TIFF'])

/** What is said of every video, read or made. */
export const videoFacts = {
  duration: z.number().nonnegative().meta({ description: 'Seconds, at most 3 decimals.' }),
  codec: z.string().meta({ description: 'Of the picture, by the name ffprobe gives it.' }),
  ...pixelSize,
  frame_rate: z.number().nonnegative().meta({ description: 'Frames a second, on average.' }),
  bitrate: z.int().nonnegative().meta({ description: 'Bits a second of the whole file.' }),
  audio_codec: z.string().nullable().meta({ description: 'Of the sound; null without sound.' }),
  format: z.enum(SOURCE_FORMATS.video),
  size,
}

/** What is said of every document, read or made. */
export const documentFacts = {
  page_count: z.int().nonnegative(),
  page_size: z
    .strictObject({ width: z.number(), height: z.number(), unit: z.literal('pt') })
    .meta({ description: 'Of page 1 as displayed, in points.' }),
  format: z.enum(SOURCE_FORMATS.document),
  size,
}

/** The optional `output` of an endpoint: one of `formats`, the first of them by default. */
export function output<const Formats extends readonly [string, ...string[]]>(formats: Formats) {
  const [first] = formats
  return z
    .strictObject({
      format: z
        .enum(formats)
        .default(first as never)
        .meta({ description: 'Format of the result.' }),
    })
    .prefault({})
}
