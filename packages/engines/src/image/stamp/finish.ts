import type { Size } from '@mediamill/contract/domain/size'
import { turnedSize } from '@mediamill/contract/drawing/sizes'
import { divideAlpha } from '@mediamill/media/pixels/stamps/premultiplied'
import sharp from 'sharp'
import { checkStampSize } from './check-size.ts'

export type Premultiplied = Size & { pixels: Uint8Array }

export async function finishStamp(
  drawn: Premultiplied,
  { rotation, opacity }: { rotation: number; opacity: number },
): Promise<Size & { file: Buffer }> {
  const degrees = ((rotation % 360) + 360) % 360
  checkStampSize(turnedSize(drawn, degrees))
  const { pixels, width, height } = degrees === 0 ? drawn : await turned(drawn, degrees)
  divideAlpha(pixels, opacity / 100)
  const image = sharp(pixels, { raw: { width, height, channels: 4 }, limitInputPixels: false })
  return { file: await image.png({ compressionLevel: 6 }).toBuffer(), width, height }
}

/** Rotates premultiplied pixels. sharp interpolates the channels independently, so alpha must be applied first. */
async function turned({ pixels, width, height }: Premultiplied, degrees: number): Promise<Premultiplied> {
  const image = sharp(pixels, { raw: { width, height, channels: 4 }, limitInputPixels: false })
  const { data, info } = await image
    .rotate(degrees, { background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}
