import { tryRead } from '@mediamill/contract/lib/try-read'
import { readItems } from '@mediamill/media/formats/heif/heif-items'
import { heifProfile } from '@mediamill/media/formats/heif/heif-profile'
import { headerBoxes } from '@mediamill/media/formats/heif/iso-bmff'
import sharp from 'sharp'
import type { EngineFile } from '../../protocol/messages.ts'
import type { EncodedFile } from '../../sharp/encoded-file.ts'
import type { Content } from '../../sharp/header.ts'
import { inputOptions, withByteReader } from '../../sharp/header.ts'
import type { Image } from '../../sharp/image.ts'
import { wrapFileDecodeError } from '../../sharp/image.ts'
import { rawTiff } from '../../sharp/raw-tiff.ts'
import { openWithLibvips } from './libvips.ts'
import type { OpenedSource } from './opened-source.ts'
import { profiledImage } from './raw-source.ts'

/**
 * Opens an AVIF. Adds a profile for the color codes of the file, because libvips ignores the codes and assumes sRGB.
 */
export const openAvif = (file: EngineFile): Promise<OpenedSource> =>
  openWithLibvips(file, 'AVIF', {
    decodeInstead({ content, header }: EncodedFile) {
      const profile = header.icc === undefined ? codedProfileOf(content, file.size) : undefined
      return profile === undefined ? undefined : () => codedImage(content, profile)
    },
  })

/**
 * Returns a profile for the color codes. For damaged tables, returns `undefined`, because libheif may still open the
 * file.
 */
const codedProfileOf = (content: Content, size: number): Buffer | undefined =>
  tryRead(() => {
    const { meta } = withByteReader(content, size, headerBoxes)
    return meta === undefined ? undefined : heifProfile(readItems(meta))
  })

async function codedImage(content: Content, profile: Buffer): Promise<Image> {
  const run = sharp(content, inputOptions('AVIF')).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const { data, info } = await wrapFileDecodeError('source image', [], run)
  const { file: tiff, pixels } = rawTiff(
    info,
    { colors: 'rgb', alpha: info.channels === 4 ? 'straight' : 'none', bits: 8 },
    profile,
  )
  data.copy(pixels)
  return profiledImage('AVIF', info, { profile, tiff })
}
