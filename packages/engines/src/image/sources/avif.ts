import { readItems } from '@mediamill/media/formats/heif/heif-items'
import { heifProfile } from '@mediamill/media/formats/heif/heif-profile'
import { headerBoxes } from '@mediamill/media/formats/heif/iso-bmff'
import sharp from 'sharp'
import type { EngineFile } from '../../protocol/messages.ts'
import type { EncodedFile } from '../../sharp/encoded-file.ts'
import type { Content } from '../../sharp/header.ts'
import { inputOptions, withByteReader } from '../../sharp/header.ts'
import type { Picture } from '../../sharp/picture.ts'
import { wrapFileDecodeError } from '../../sharp/picture.ts'
import { rawTiff } from '../../sharp/raw-tiff.ts'
import { openWithLibvips } from './libvips.ts'
import type { OpenedSource } from './opened-source.ts'
import { profiledPicture } from './raw-source.ts'

/** Opens an AVIF. libvips ignores color codes and treats such pixels as sRGB, so this adds a profile. */
export const openAvif = (file: EngineFile): Promise<OpenedSource> =>
  openWithLibvips(file, 'AVIF', {
    decodeInstead({ content, header }: EncodedFile) {
      const profile = header.icc === undefined ? codedProfileOf(content, file.size) : undefined
      return profile === undefined ? undefined : () => codedPicture(content, profile)
    },
  })

function codedProfileOf(content: Content, size: number): Buffer | undefined {
  try {
    const { meta } = withByteReader(content, size, headerBoxes)
    return meta === undefined ? undefined : heifProfile(readItems(meta))
  } catch (error) {
    // libheif may read a file whose tables this code cannot read.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

async function codedPicture(content: Content, profile: Buffer): Promise<Picture> {
  const run = sharp(content, inputOptions('AVIF')).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const { data, info } = await wrapFileDecodeError('source image', [], run)
  const { file: tiff, pixels } = rawTiff(
    info,
    { colors: 'rgb', alpha: info.channels === 4 ? 'straight' : 'none', bits: 8 },
    profile,
  )
  data.copy(pixels)
  return profiledPicture('AVIF', info, { profile, tiff })
}
