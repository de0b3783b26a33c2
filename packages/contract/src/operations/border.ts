import { z } from 'zod'
import type { Rgba } from '../domain/color.ts'
import { overWhite, parseColor } from '../domain/color.ts'
import { color, integer } from '../objects/fields.ts'
import { defineOperation } from './operation.ts'

const params = z.strictObject({
  top: integer(0, 2000, 'Width of the border above the image, in pixels.'),
  bottom: integer(0, 2000, 'Width of the border below the image, in pixels.'),
  left: integer(0, 2000, 'Width of the border left of the image, in pixels.'),
  right: integer(0, 2000, 'Width of the border right of the image, in pixels.'),
  color: color('Color of the border. Alpha is kept if the output format supports transparency.'),
})

export const border = defineOperation({
  name: 'border',
  description: 'Adds a border, which enlarges the image.',
  params,

  image(p) {
    const { top, bottom, left, right } = p
    if (top + bottom + left + right === 0) return []
    return [{ step: 'extend', top, bottom, left, right, color: parseColor(p.color) }]
  },

  video(p, size) {
    if (p.top + p.bottom + p.left + p.right === 0) return []
    const w = size.width + p.left + p.right
    const h = size.height + p.top + p.bottom
    // A video has no transparency: a transparent color is blended with white, as for jpg (operations.border.1).
    return [{ name: 'pad', args: { w, h, x: p.left, y: p.top, color: hex(overWhite(parseColor(p.color))) } }]
  },
})

const hex = ({ r, g, b }: Rgba) => `0x${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`
