import { z } from 'zod'
import { MAX_URL_LENGTH } from '../domain/limits.ts'
import type { ImageStamp, TextStamp } from '../domain/rendering/stamp.ts'
import { STAMP_ALIGNMENTS, STAMP_BOUNDS, STAMP_FONTS } from '../domain/rendering/stamp.ts'
import { text } from '../endpoints/common-fields.ts'
import { color, integer } from './fields.ts'
import { completeUpload, EXAMPLE_UPLOAD } from './upload.ts'

const opacity = (description: string) => integer(1, 100, description)
const rotation = integer(-360, 360, 'Angle in degrees, clockwise. New corners are transparent.').default(0)

/** Characters that a text must not contain: control characters except the line feed, separators, and noncharacters. */
const UNFIT = /[^\n\P{Cc}]|[\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u

const words = text(STAMP_BOUNDS.characters)
  .refine((value) => value !== '', { error: 'must have at least 1 character', params: { code: 'too_short' } })
  .refine((value) => !UNFIT.test(value), 'must not contain control characters except \\n, which starts a new line')
  .meta({
    minLength: 1,
    description:
      'Text to draw, with lines separated by `\\n`. It is never interpreted as markup. Supports the letters of every script in the bundled fonts.',
  })

const outline = z.strictObject({
  color: color('Color of the outline.').default('000000'),
  width: integer(1, STAMP_BOUNDS.outline, 'Width of the outline in pixels.').default(2),
})

const shadow = z.strictObject({
  color: color('Color of the shadow.').default('000000'),
  opacity: opacity('Opacity of the shadow in percent.').default(50),
  x: integer(-STAMP_BOUNDS.offset, STAMP_BOUNDS.offset, 'Horizontal offset to the right, in pixels.').default(2),
  y: integer(-STAMP_BOUNDS.offset, STAMP_BOUNDS.offset, 'Vertical offset down, in pixels.').default(2),
  blur: integer(0, STAMP_BOUNDS.blur, 'Blur in pixels; 0 is sharp.').default(4),
})

export const textStamp = z
  .strictObject({
    type: z.literal('text').meta({ description: 'Always `text`.' }),
    text: words,
    font: z
      .enum(STAMP_FONTS)
      .default('arimo')
      .meta({ description: 'Font of the text. Other bundled fonts draw characters that it lacks.' }),
    size: integer(STAMP_BOUNDS.size.minimum, STAMP_BOUNDS.size.maximum, 'Font size in pixels.').default(48),
    color: color('Color of the letters.').default('ffffff'),
    opacity: opacity('Opacity of the whole image in percent.').default(100),
    rotation,
    outline: outline.optional().meta({ description: 'An optional outline around the letters.' }),
    shadow: shadow.optional().meta({ description: 'An optional shadow behind letters and outline.' }),
    align: z.enum(STAMP_ALIGNMENTS).default('left').meta({ description: 'Alignment of the lines.' }),
  })
  .meta({ id: 'TextStamp', description: 'A text as an image.' }) satisfies z.ZodType<TextStamp>

export const imageStamp = z
  .strictObject({
    type: z.literal('image').meta({ description: 'Always `image`.' }),
    source: z.string().meta({
      format: 'uri',
      maxLength: MAX_URL_LENGTH,
      description:
        'Public http or https URL, upload, or link to a result. The image may have any supported source format.',
    }),
    width: integer(
      1,
      STAMP_BOUNDS.width,
      'Width in pixels before rotation. By default, the width of the image.',
    ).optional(),
    opacity: opacity('Opacity in percent. Multiplies the transparency that the image already has.').default(100),
    rotation,
    trim: z
      .boolean()
      .default(false)
      .meta({ description: 'Trims a border of one color, or a transparent border, first.' }),
  })
  .meta({ id: 'ImageStamp', description: 'An image prepared as a watermark.' }) satisfies z.ZodType<ImageStamp>

export const newStamp = z
  .discriminatedUnion('type', [textStamp, imageStamp])
  .meta({ id: 'NewStamp', description: 'A watermark image to make; `type` selects text or image.' })

const pixels = (description: string) => z.int().meta({ description })

export const stamp = z
  .strictObject({ ...completeUpload.shape, width: pixels('Width in pixels.'), height: pixels('Height in pixels.') })
  .meta({ id: 'Stamp', description: 'An upload of a PNG with transparency, and its size.' })

export const EXAMPLE_NEW_STAMP = { type: 'text' as const, text: '© Jane Doe', size: 32, opacity: 60, rotation: 30 }

export const EXAMPLE_STAMP: z.output<typeof stamp> = {
  ...(EXAMPLE_UPLOAD as z.output<typeof completeUpload>),
  size: 6_204,
  format: 'PNG',
  width: 163,
  height: 112,
}
