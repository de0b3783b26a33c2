import { z } from 'zod'
import { IMAGE_OUTPUT_NAMES, SOURCE_FORMATS } from '../domain/media.ts'
import { destination } from './destination.ts'

/** Facts that several endpoints show in `result.data` (Spec 2.4, rulings 2). */
export const pixelSize = {
  width: z.int().positive().meta({ description: 'Width in pixels.' }),
  height: z.int().positive().meta({ description: 'Height in pixels.' }),
}

export const size = z.int().nonnegative().meta({ description: 'Size of the file in bytes.' })

export const imageFormat = z.enum(IMAGE_OUTPUT_NAMES).meta({ description: 'Format of the file made.' })

/** The facts of every video, read or made. */
export const videoFacts = {
  duration: z.number().nonnegative().meta({ description: 'Length in seconds, at most 3 decimals.' }),
  codec: z.string().meta({ description: 'Codec of the video stream, by the name ffprobe gives it.' }),
  ...pixelSize,
  frame_rate: z.number().nonnegative().meta({ description: 'Frames a second, on average.' }),
  bitrate: z.int().nonnegative().meta({ description: 'Bits a second of the whole file.' }),
  audio_codec: z
    .string()
    .nullable()
    .meta({ description: 'Codec of the audio stream, by the name ffprobe gives it; null without audio.' }),
  format: z.enum(SOURCE_FORMATS.video).meta({ description: 'Container format of the file.' }),
  size,
}

/** The facts of every document, read or made. */
export const documentFacts = {
  page_count: z.int().nonnegative().meta({ description: 'Pages of the document.' }),
  page_size: z
    .strictObject({
      width: z.number().meta({ description: 'Width in points.' }),
      height: z.number().meta({ description: 'Height in points.' }),
      unit: z.literal('pt').meta({ description: 'Always `pt`: a point is 1/72 inch.' }),
    })
    .meta({ id: 'PageSize', description: 'Size of page 1 as displayed.' }),
  format: z.enum(SOURCE_FORMATS.document).meta({ description: 'Always `PDF`.' }),
  size,
}

/**
 * The optional `output` of an endpoint: one of `formats`, the first of them by default, and `more` fields. `id` names it
 * in the description.
 */
export function output<
  const Formats extends readonly [string, ...string[]],
  More extends z.ZodRawShape = Record<never, never>,
>(id: string, formats: Formats, more: More = {} as More) {
  const [first] = formats
  return z
    .strictObject({
      format: z
        .enum(formats)
        .default(first as never)
        .meta({ description: 'Format of the result.' }),
      destination: destination.optional(),
      ...more,
    })
    .meta({ id, description: 'How the result is written.' })
    .prefault({} as never)
}

/** The optional `output` of endpoints that make one picture. */
export const stillOutput = output('StillOutput', ['jpg', 'png'])
