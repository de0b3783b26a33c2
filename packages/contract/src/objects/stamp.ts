import { z } from 'zod'
import { HEX_COLOR } from '../domain/color.ts'
import type { ImageStamp, TextStamp } from '../domain/drawn/stamp.ts'
import { STAMP_ALIGNMENTS, STAMP_BOUNDS, STAMP_FONTS } from '../domain/drawn/stamp.ts'
import { MAX_URL_LENGTH } from '../domain/limits.ts'
import { text } from '../endpoints/common-fields.ts'
import { completeUpload, EXAMPLE_UPLOAD } from './upload.ts'

const color = (description: string) =>
  z
    .string()
    .regex(HEX_COLOR, 'is not a hex color such as #ff8800')
    .meta({ description: `${description} Hex: \`#rgb\`, \`#rrggbb\`, or \`#rrggbbaa\`.` })

const integer = (minimum: number, maximum: number, description: string) =>
  z.int().min(minimum).max(maximum).meta({ description })

const opacity = (description: string) => integer(1, 100, description)
const rotation = integer(-360, 360, 'Angle in degrees, clockwise; new corners are transparent.').default(0)

/** Controls but the end of a line, line and paragraph separators, and codes that are no characters. */
const UNFIT = /[^\n\P{Cc}]|[\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u

const words = text(STAMP_BOUNDS.characters)
  .refine((value) => value !== '', { error: 'must have at least 1 character', params: { code: 'too_short' } })
  // wall: controls in a text
  .refine((value) => !UNFIT.test(value), 'must have no control characters but \\n, which ends a line')
  .meta({
    minLength: 1,
    description:
      'What is drawn, each line behind `\\n`. It is text and never markup. Letters of any script that our fonts have.',
  })

const outline = z.strictObject({
  color: color('Colour of the rim.').default('000000'),
  width: integer(1, STAMP_BOUNDS.outline, 'Width of the rim in pixels.').default(2),
})

const shadow = z.strictObject({
  color: color('Colour of the shadow.').default('000000'),
  opacity: opacity('Opacity of the shadow in percent.').default(50),
  x: integer(-STAMP_BOUNDS.offset, STAMP_BOUNDS.offset, 'How far it lies to the right, in pixels.').default(2),
  y: integer(-STAMP_BOUNDS.offset, STAMP_BOUNDS.offset, 'How far it lies below, in pixels.').default(2),
  blur: integer(0, STAMP_BOUNDS.blur, 'How soft it is, in pixels; 0 is sharp.').default(4),
})

/** A text that is drawn. */
export const textStamp = z
  .strictObject({
    type: z.literal('text').meta({ description: 'Always `text`.' }),
    text: words,
    font: z.enum(STAMP_FONTS).default('arimo').meta({ description: 'Font of what it has; others of ours fill in.' }),
    size: integer(STAMP_BOUNDS.size.minimum, STAMP_BOUNDS.size.maximum, 'Size of the font in pixels.').default(48),
    color: color('Colour of the letters.').default('ffffff'),
    opacity: opacity('Opacity of the whole in percent.').default(100),
    rotation,
    outline: outline.optional().meta({ description: 'A rim around the letters; none when left out.' }),
    shadow: shadow.optional().meta({ description: 'A shadow behind letters and rim; none when left out.' }),
    align: z.enum(STAMP_ALIGNMENTS).default('left').meta({ description: 'Side that the lines keep to.' }),
  })
  .meta({ id: 'TextStamp', description: 'A text as a picture.' }) satisfies z.ZodType<TextStamp>

/** A picture that is made ready. */
export const imageStamp = z
  .strictObject({
    type: z.literal('image').meta({ description: 'Always `image`.' }),
    source: z.string().meta({
      format: 'uri',
      maxLength: MAX_URL_LENGTH,
      description: 'Public http or https URL, upload, or link to a result, of a picture in any format that is read.',
    }),
    width: integer(1, STAMP_BOUNDS.width, 'Width in pixels before it is turned; its own when left out.').optional(),
    opacity: opacity('Opacity of the whole in percent, on top of its own.').default(100),
    rotation,
    trim: z.boolean().default(false).meta({ description: 'Cut off a border of one colour, or of none, first.' }),
  })
  .meta({ id: 'ImageStamp', description: 'A picture for laying over others.' }) satisfies z.ZodType<ImageStamp>

/** What asks for a stamp. */
export const newStamp = z
  .discriminatedUnion('type', [textStamp, imageStamp])
  .meta({ id: 'NewStamp', description: 'A watermark image to be made; `type` says from what.' })

const pixels = (description: string) => z.int().meta({ description })

/** An upload that a stamp was made into. */
export const stamp = z
  .strictObject({ ...completeUpload.shape, width: pixels('Width in pixels.'), height: pixels('Height in pixels.') })
  .meta({ id: 'Stamp', description: 'An upload that holds a PNG with transparency, and its size.' })

export const EXAMPLE_NEW_STAMP = { type: 'text' as const, text: '© Jane Doe', size: 32, opacity: 60, rotation: 30 }

export const EXAMPLE_NEW_IMAGE_STAMP = { type: 'image' as const, source: 'https://example.com/logo.png', width: 200 }

export const EXAMPLE_STAMP: z.output<typeof stamp> = {
  ...(EXAMPLE_UPLOAD as z.output<typeof completeUpload>),
  size: 6_204,
  format: 'PNG',
  width: 163,
  height: 112,
}
