import { z } from 'zod'
import { parseColor } from '../domain/color.ts'
import { MAX_URL_LENGTH } from '../domain/limits.ts'
import type { Size } from '../domain/size.ts'
import { GRAVITIES } from '../drawing/overlays.ts'
import { color, integer } from '../objects/fields.ts'
import { defineOperation } from './operation.ts'

const offset = (description: string) => integer(-20_000, 20_000, description)
const spacing = (description: string) => z.number().min(0).max(20_000).optional().meta({ description })

const params = z.strictObject({
  image_url: z.string().meta({
    format: 'uri',
    maxLength: MAX_URL_LENGTH,
    description: 'The watermark, a JPEG, PNG, GIF, or WebP: a public http or https URL, or an upload.',
  }),
  x: offset('Left edge of the overlay, in pixels from the left of the image. With `gravity`: margin or offset.'),
  y: offset('Top edge of the overlay, in pixels from the top of the image. With `gravity`: margin or offset.'),
  gravity: z.enum(GRAVITIES).optional().meta({
    description: 'Anchors the overlay: `x` and `y` are margins from these edges, or offsets from the center.',
  }),
  scale: integer(
    1,
    100,
    "Resizes the overlay: its longer side takes this percentage of the frame's shorter side.",
  ).optional(),
  tile_spacing_x: spacing(
    'Repeats the overlay to the right: the step in pixels between left edges. 0 does not repeat.',
  ),
  tile_spacing_y: spacing('Repeats the overlay downwards: the step in pixels between top edges. 0 does not repeat.'),
  diagonal_lines_color: color('Draws two lines from corner to corner in this color.').optional(),
  diagonal_lines_opacity: integer(0, 100, 'Opacity of the lines in percent; 100 by default.').optional(),
})

export const watermark = defineOperation({
  name: 'watermark',
  description: 'Overlays an image, once or tiled, with optional diagonal lines.',
  params,
  assets: (p) => [{ param: 'image_url', url: p.image_url }],

  image: (p, frame) => [
    { step: 'blend', ...mark(p) },
    ...lines(p, frame).map((line) => ({ step: 'lines' as const, ...line })),
  ],
  video: (p, size) => [
    { draw: 'mark', ...mark(p) },
    ...lines(p, size).map((line) => ({ draw: 'lines' as const, ...line })),
  ],
  document: (p, page) => [
    { stamp: 'image', ...mark(p) },
    ...lines(p, page).map((line) => ({ stamp: 'lines' as const, ...line })),
  ],
})

const mark = (p: z.output<typeof params>) => ({
  assetUrl: p.image_url,
  x: p.x,
  y: p.y,
  stepX: step(p.tile_spacing_x),
  stepY: step(p.tile_spacing_y),
  ...(p.gravity !== undefined && { gravity: p.gravity }),
  ...(p.scale !== undefined && { scale: p.scale }),
})

const step = (spacingPixels: number | undefined) =>
  spacingPixels === undefined || spacingPixels === 0 ? undefined : Math.max(1, spacingPixels)

/** Returns the diagonal lines: 1/200 of the shorter side wide, and by default opaque (operations.watermark.3). */
function lines(p: z.output<typeof params>, frame: Size) {
  if (p.diagonal_lines_color === undefined) return []
  const opacity = (p.diagonal_lines_opacity ?? 100) / 100
  const width = Math.max(1, Math.min(frame.width, frame.height) / 200)
  return [{ color: parseColor(p.diagonal_lines_color), opacity, width }]
}
