import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import type { ByteReader } from '@mediamill/media/formats/byte-reader'
import type { Metadata } from 'sharp'
import type { EngineFile } from '../../protocol/messages.ts'
import type { EncodedFile } from '../../sharp/encoded-file.ts'
import { openEncoded } from '../../sharp/encoded-file.ts'
import type { Content } from '../../sharp/header.ts'
import { lookInto, orientationOf } from '../../sharp/header.ts'
import type { EncodedPicture, Picture } from '../../sharp/picture.ts'
import { damaged, orDamagedFile, withinProfile } from '../../sharp/picture.ts'
import { decodeToned } from '../../sharp/toned.ts'
import type { OpenedSource } from './opened-source.ts'
import { rawPicture } from './raw-source.ts'

export type LibvipsFile = Pick<EngineFile, 'path' | 'size'> & { content?: Content }

/** The peculiarities of a format that libvips decodes. */
export type Peculiarities = {
  /** Whether its pages are frames of an animation, or pages: an AVIF's pictures are its alternatives. */
  hasFrames?: boolean
  /** Where the frame has to be laid on a screen of another size: that size, and how. */
  screen?: (encoded: EncodedFile) => Screen
  /** The picture, where libvips would get its colours wrong. */
  decodeInstead?: (encoded: EncodedFile) => (() => Promise<Picture>) | undefined
  /** Whether the file goes on to the end of its picture, where a decoder that reads a part would not find out. */
  isWhole?: (source: ByteReader) => boolean
}

type Screen = { size: Size; fit: (picture: EncodedPicture) => Promise<Picture> }

/** Reads the header of a picture that libvips decodes. */
export async function openWithLibvips(
  file: LibvipsFile,
  format: ImageSourceFormat,
  { hasFrames = false, screen, decodeInstead, isWhole }: Peculiarities = {},
): Promise<OpenedSource> {
  const encoded = await openEncoded(file, format, 'source picture')
  const { content, header, open, warnings, tone } = encoded
  const drawn = { width: header.width, height: header.pageHeight ?? header.height }
  const shown = screen?.(encoded)
  const size = shown?.size ?? drawn
  const instead = decodeInstead?.(encoded)
  const frames = hasFrames ? (header.pages ?? 1) : 1
  return {
    source: { format, ...size, frames, orientation: orientationOf(header) },
    timing: { delays: header.delay ?? [], loop: header.loop ?? 0 },
    async picture(animated) {
      if (instead !== undefined) return instead()
      if (tone !== undefined) {
        return rawPicture(await orDamagedFile('source picture', warnings, decodeToned(open(), tone)))
      }
      const picture: EncodedPicture = {
        kind: 'encoded',
        format,
        ...drawn,
        frames: animated ? frames : 1,
        profile: encoded.profile,
        grey: isGrey(header),
        wide: encoded.wide,
        open: (part) => open(part ?? { animated }),
        warnings,
      }
      if (encoded.isDeepGrey) return { ...picture, open: await withinProfile(picture, picture.open()) }
      return shown === undefined || isSame(size, drawn) ? picture : shown.fit(picture)
    },
    refuseCutOff() {
      if (isWhole === undefined || lookInto(content, file.size, isWhole)) return
      throw damaged('source picture', new Error(`the ${format} ends before its picture does`))
    },
  }
}

const isSame = (one: Size, other: Size) => one.width === other.width && one.height === other.height

/** Tells whether a picture has one channel of brightness. */
export const isGrey = ({ space }: Pick<Metadata, 'space'>): boolean => space === 'b-w' || space === 'grey16'
