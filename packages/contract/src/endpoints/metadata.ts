import { z } from 'zod'
import { IMAGE_OUTPUT_NAMES, SOURCE_FORMATS, STILL_FORMATS } from '../domain/media.ts'
import { destination } from './destination.ts'

export const pixelSize = {
  width: z.int().positive().meta({ description: 'Width in pixels.' }),
  height: z.int().positive().meta({ description: 'Height in pixels.' }),
}

export const size = z.int().nonnegative().meta({ description: 'Size of the file in bytes.' })

export const imageFormat = z.enum(IMAGE_OUTPUT_NAMES).meta({ description: 'Format of the result.' })

export const videoMetadata = {
  duration: z.number().nonnegative().meta({ description: 'Duration in seconds, with at most 3 decimals.' }),
  codec: z.string().meta({ description: 'Video codec, by its ffprobe name.' }),
  ...pixelSize,
  frame_rate: z.number().nonnegative().meta({ description: 'Average frames per second.' }),
  bitrate: z.int().nonnegative().meta({ description: 'Bits per second of the whole file.' }),
  audio_codec: z.string().nullable().meta({ description: 'Audio codec, by its ffprobe name; null without audio.' }),
  format: z.enum(SOURCE_FORMATS.video).meta({ description: 'Container format of the file.' }),
  size,
}

export const documentMetadata = {
  page_count: z.int().nonnegative().meta({ description: 'Number of pages.' }),
  page_size: z
    .strictObject({
      width: z.number().meta({ description: 'Width in points.' }),
      height: z.number().meta({ description: 'Height in points.' }),
      unit: z.literal('pt').meta({ description: 'Always `pt`. A point is 1/72 inch.' }),
    })
    .meta({ id: 'PageSize', description: 'Size of page 1 as displayed.' }),
  format: z.enum(SOURCE_FORMATS.document).meta({ description: 'Always `PDF`.' }),
  size,
}

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
    .meta({ id, description: 'Options for the result.' })
    .prefault({} as never)
}

export const stillOutput = output('StillOutput', STILL_FORMATS)
