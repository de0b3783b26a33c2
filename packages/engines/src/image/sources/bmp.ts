import { bufferReader } from '@mediamill/media/formats/byte-reader'
import { isWholeJpeg } from '@mediamill/media/formats/jpeg'
import { isWholePng } from '@mediamill/media/formats/png'
import type { PixelLimits } from '@mediamill/media/plan/image-budget'
import sharp from 'sharp'
import type { EngineFile } from '../../protocol/messages.ts'
import { inputOptions, wrapHeaderError } from '../../sharp/header.ts'
import type { Image } from '../../sharp/image.ts'
import { damaged, isWide } from '../../sharp/image.ts'
import type { JpegWarnings } from '../../sharp/jpeg-warnings.ts'
import { collectWarnings } from '../../sharp/jpeg-warnings.ts'
import { decodeBmp } from './decode-bmp.ts'
import { isGray } from './libvips.ts'
import type { OpenedSource } from './opened-source.ts'
import { openRaw, rawImage } from './raw-source.ts'

export const openBmp = (file: EngineFile, { maxFramePixels }: PixelLimits): Promise<OpenedSource> =>
  openRaw(file, 'BMP', (bytes) => {
    const decoded = decodeBmp(bytes, maxFramePixels)
    return 'embedded' in decoded ? embeddedImage(decoded.embedded) : rawImage(decoded)
  })

async function embeddedImage(embedded: Buffer): Promise<Image> {
  if (!(embedded[0] === 0xff ? isWholeJpeg : isWholePng)(bufferReader(embedded)))
    throw damaged('source image', new Error('the JPEG or PNG inside the BMP file is truncated'))
  const header = await wrapHeaderError(sharp(embedded, inputOptions('BMP')).metadata(), 'source image')
  const { width, height } = header
  const warnings: JpegWarnings = []
  return {
    kind: 'encoded',
    format: 'BMP',
    width,
    height,
    frames: 1,
    profile: undefined,
    gray: isGray(header),
    wide: isWide(header),
    open: () => collectWarnings(sharp(embedded, inputOptions('BMP')), warnings),
    warnings,
  }
}
