import { parseColor } from '@mediamill/contract/domain/color'
import type { TextStamp } from '@mediamill/contract/domain/rendering/stamp'
import { growMask } from '@mediamill/media/pixels/stamps/grow-mask'
import type { Mask } from '@mediamill/media/pixels/stamps/mask'
import { placeMask } from '@mediamill/media/pixels/stamps/mask'
import type { Premultiplied } from '@mediamill/media/pixels/stamps/premultiplied'
import { layColor } from '@mediamill/media/pixels/stamps/premultiplied'
import sharp from 'sharp'
import { checkStampSize } from './check-size.ts'
import { drawLetters } from './draw-letters.ts'

export async function drawText(stamp: TextStamp): Promise<Premultiplied> {
  const letters = await drawLetters(stamp)
  const { outline, shadow } = stamp
  const rim = outline === undefined ? 0 : outline.width + 1
  const blur = shadow === undefined ? 0 : Math.ceil(shadow.blur * BLUR_REACH)
  const reach = (offset: number) => (shadow === undefined ? 0 : Math.max(0, blur + offset))
  const [left, right] = [rim + reach(-(shadow?.x ?? 0)), rim + reach(shadow?.x ?? 0)]
  const [top, bottom] = [rim + reach(-(shadow?.y ?? 0)), rim + reach(shadow?.y ?? 0)]
  const size = { width: letters.width + left + right, height: letters.height + top + bottom }
  checkStampSize(size)
  const place = (mask: Mask, x = 0, y = 0) => placeMask(mask, size.width, size.height, left + x, top + y)
  const placed = place(letters)
  const shape = outline === undefined ? placed : growMask(placed, outline.width)
  const pixels = new Uint8Array(size.width * size.height * 4)
  if (shadow !== undefined) {
    const moved = placeMask(shape, size.width, size.height, shadow.x, shadow.y)
    const { alpha, ...color } = parseColor(shadow.color)
    layColor(pixels, await blurred(moved, shadow.blur), { ...color, alpha: (alpha * shadow.opacity) / 100 })
  }
  if (outline !== undefined) layColor(pixels, shape, parseColor(outline.color))
  layColor(pixels, placed, parseColor(stamp.color))
  return { pixels, ...size }
}

/** How many pixels a blur of 1 reaches. As in CSS, the standard deviation is half of the blur. */
const BLUR_REACH = 1.5

async function blurred(mask: Mask, blur: number): Promise<Mask> {
  if (blur === 0) return mask
  const { width, height } = mask
  const image = sharp(mask.data, { raw: { width, height, channels: 1 }, limitInputPixels: false })
  // libvips requires a standard deviation of 0.3 or more.
  const data = await image
    .blur(Math.max(0.3, blur / 2))
    .toColourspace('b-w')
    .raw()
    .toBuffer()
  return { data, width, height }
}
