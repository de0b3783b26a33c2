import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import type { Size } from '@mediamill/contract/domain/size'
import { turnedSize } from '@mediamill/contract/drawing/sizes'
import type { Premultiplied } from '@mediamill/media/pixels/stamps/premultiplied'
import { divideAlpha } from '@mediamill/media/pixels/stamps/premultiplied'
import sharp from 'sharp'
import type { AnyJob, EngineDone } from '../../protocol/messages.ts'
import { writeResult } from '../../protocol/result-file.ts'
import { allowFormats } from '../../sharp/loaders.ts'
import { rotate } from '../../sharp/rotate.ts'
import { checkStampSize } from './check-size.ts'
import { drawImage } from './draw-image.ts'
import { drawText } from './draw-text.ts'

const SMALLER = 'Make it smaller.'

type StampJob = Omit<AnyJob, 'parameters'> & { parameters: Stamp }

export async function drawStamp(job: StampJob): Promise<EngineDone> {
  const stamp = job.parameters
  allowFormats(job.input === undefined ? [] : [job.input.format])
  const { file, width, height } = await finishStamp(await draw(stamp, job), stamp)
  return {
    data: { width, height },
    files: [writeResult(job, 'png', { parts: [file], fix: SMALLER })],
    units: 1,
  }
}

async function draw(stamp: Stamp, { input, limits }: StampJob) {
  if (stamp.type === 'text') return await drawText(stamp)
  if (input === undefined) throw new RangeError('the file of the image is missing')
  return await drawImage(stamp, input, limits)
}

async function finishStamp(
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

/** Rotates an image. Requires premultiplied pixels, because sharp interpolates the channels independently. */
async function turned({ pixels, width, height }: Premultiplied, degrees: number): Promise<Premultiplied> {
  const image = sharp(pixels, { raw: { width, height, channels: 4 }, limitInputPixels: false })
  const clear = { r: 0, g: 0, b: 0, alpha: 0 }
  const { data, info } = await rotate(image, degrees, { width, height }, clear)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}
