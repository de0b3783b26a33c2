import type { Picture } from '../sharp/picture.ts'
import { openPicture, orDamaged } from '../sharp/picture.ts'

const SIGNATURE_BYTES = 8
/** Length, type and checksum of a chunk. */
const FRAME_BYTES = 12

/**
 * Puts a source's dots an inch into a PNG that was made of its pixels.
 *
 * Pixels do not know them. libvips carries them over from the file it reads, finer than it tells them: so they are taken from a PNG of the
 * source's first pixel, which costs a millisecond of most formats. `undefined` where either PNG has no place for them.
 */
export async function withDotsOf(source: Picture, png: Buffer): Promise<Buffer | undefined> {
  if (source.kind === 'raw') return png
  const pixel = openPicture(source).extract({ left: 0, top: 0, width: 1, height: 1 }).png()
  const known = await orDamaged(source, pixel.toBuffer())
  const [from, to] = [dotsIn(known), dotsIn(png)]
  if (from === undefined || to === undefined) return undefined
  from.copy(to)
  return png
}

/** The chunk `pHYs` of a PNG, which is as long in all of them. */
function dotsIn(png: Buffer): Buffer | undefined {
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= png.length; ) {
    const end = at + FRAME_BYTES + png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'pHYs') return png.subarray(at, end)
    if (type === 'IDAT') return undefined
    at = end
  }
  return undefined
}
