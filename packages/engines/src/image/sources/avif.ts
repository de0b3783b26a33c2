import { readFileSync } from 'node:fs'
import { tryRead } from '@mediamill/contract/lib/try-read'
import { bufferReader } from '@mediamill/media/formats/byte-reader'
import { clapArea } from '@mediamill/media/formats/heif/clap-area'
import { alphaOf } from '@mediamill/media/formats/heif/heif-alpha'
import type { HeifItems } from '@mediamill/media/formats/heif/heif-items'
import { readItems, removeTransforms, transformsOf } from '@mediamill/media/formats/heif/heif-items'
import { heifProfile } from '@mediamill/media/formats/heif/heif-profile'
import type { Box } from '@mediamill/media/formats/heif/iso-bmff'
import { headerBoxes } from '@mediamill/media/formats/heif/iso-bmff'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import { divideAlpha } from '@mediamill/media/pixels/stamps/premultiplied'
import type { Sharp } from 'sharp'
import sharp from 'sharp'
import type { EngineFile } from '../../protocol/messages.ts'
import type { EncodedFile } from '../../sharp/encoded-file.ts'
import type { Content } from '../../sharp/header.ts'
import { inputOptions, withByteReader } from '../../sharp/header.ts'
import type { Image } from '../../sharp/image.ts'
import { damaged, wrapFileDecodeError } from '../../sharp/image.ts'
import { rawTiff } from '../../sharp/raw-tiff.ts'
import { openWithLibvips } from './libvips.ts'
import type { OpenedSource } from './opened-source.ts'
import { profiledImage, rawImage } from './raw-source.ts'

/**
 * Opens an AVIF. libvips ignores color codes and premultiplied alpha. It also leaves alpha unchanged if only the color
 * planes are cropped, rotated, or flipped, as in files of libavif before 1.4.
 */
export const openAvif = (file: EngineFile): Promise<OpenedSource> =>
  openWithLibvips(file, 'AVIF', {
    decodeInstead({ content, header }: EncodedFile) {
      // libheif may still open a file with damaged tables.
      const items = tryRead(() => itemsOf(content, file.size))
      if (items === undefined) return undefined
      const alpha = alphaOf(items)
      const isPremultiplied = alpha?.isPremultiplied ?? false
      const transforms =
        alpha === undefined || transformsOf(items, alpha.item).length > 0 ? [] : transformsOf(items, items.primary)
      const isDecodable = header.icc !== undefined || heifProfile(items) === undefined
      if (isDecodable && !isPremultiplied && transforms.length === 0) return undefined
      const profile = header.icc ?? heifProfile(items)
      return async () => {
        const image = await decode(content, items.primary, transforms)
        if (image.width !== header.width || image.height !== header.height)
          throw damaged('source image', new Error('the crop of the AVIF exceeds the image'))
        if (isPremultiplied && image.channels === 4) divideAlpha(image.data, 1)
        return profile === undefined ? rawImage(image) : withProfile(image, profile)
      }
    },
  })

function itemsOf(content: Content, size: number): HeifItems | undefined {
  const { meta } = withByteReader(content, size, headerBoxes)
  return meta === undefined ? undefined : readItems(meta)
}

/** Decodes all planes without `transforms`, and then applies `transforms` to all planes together. */
async function decode(content: Content, primary: number, transforms: readonly Box[]): Promise<RawImage> {
  const bytes = typeof content === 'string' ? readFileSync(content) : Buffer.from(content)
  const { meta } = headerBoxes(bufferReader(bytes))
  if (meta !== undefined && transforms.length > 0) removeTransforms(meta, primary)
  let image = await pixelsOf(sharp(bytes, { ...inputOptions('AVIF'), ignoreIcc: true }).toColourspace('srgb'))
  for (const transform of transforms) image = await transformed(image, transform)
  return image
}

async function transformed(image: RawImage, { type, body }: Box): Promise<RawImage> {
  const { data, width, height, channels } = image
  const pixels = sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
  switch (type) {
    case 'clap':
      return pixelsOf(pixels.extract(clapArea(body, image)))
    case 'irot':
      // The file counts quarter turns counterclockwise.
      return pixelsOf(pixels.rotate(360 - 90 * (body.readUInt8(0) & 3)))
    default:
      return pixelsOf((body.readUInt8(0) & 1) === 0 ? pixels.flip() : pixels.flop())
  }
}

async function pixelsOf(pixels: Sharp): Promise<RawImage> {
  const run = pixels.raw().toBuffer({ resolveWithObject: true })
  const { data, info } = await wrapFileDecodeError('source image', [], run)
  return { data, width: info.width, height: info.height, channels: info.channels === 4 ? 4 : 3 }
}

function withProfile(image: RawImage, profile: Buffer): Image {
  const { file: tiff, pixels } = rawTiff(
    image,
    { colors: 'rgb', alpha: image.channels === 4 ? 'straight' : 'none', bits: 8 },
    profile,
  )
  image.data.copy(pixels)
  return profiledImage('AVIF', image, { profile, tiff })
}
