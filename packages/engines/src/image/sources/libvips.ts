import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import type { ByteReader } from '@mediamill/media/formats/byte-reader'
import type { Metadata } from 'sharp'
import type { EngineFile } from '../../protocol/messages.ts'
import type { EncodedFile } from '../../sharp/encoded-file.ts'
import { openEncoded } from '../../sharp/encoded-file.ts'
import type { Content } from '../../sharp/header.ts'
import { orientationOf, withByteReader } from '../../sharp/header.ts'
import type { EncodedImage, Image } from '../../sharp/image.ts'
import { damaged, withinProfile, wrapFileDecodeError } from '../../sharp/image.ts'
import { decodeToned } from '../../sharp/toned.ts'
import type { OpenedSource, Timing } from './opened-source.ts'
import { rawImage } from './raw-source.ts'

type LibvipsFile = Pick<EngineFile, 'path' | 'size'> & { content?: Content }

type LoaderQuirks = {
  /** Whether the pages are frames. The pages of an AVIF are alternative images, not frames. */
  hasFrames?: boolean
  /** The number of frames at the end that are not part of the image. */
  addedFrames?: number
  /** Returns the canvas. Set if the size of the canvas can differ from the size of the frame. */
  screen?: () => Screen
  /** Returns another decoder for files whose colors or alpha libvips would decode wrongly. */
  decodeInstead?: (encoded: EncodedFile) => (() => Promise<Image>) | undefined
  /**
   * Returns whether the file is complete. Needed because decoding only a part of an image does not detect a truncated
   * file.
   */
  isWhole?: (source: ByteReader) => boolean
}

type Screen = { size: Size; fit: (image: EncodedImage) => Promise<Image> }

export async function openWithLibvips(
  file: LibvipsFile,
  format: ImageSourceFormat,
  { hasFrames = false, addedFrames = 0, screen, decodeInstead, isWhole }: LoaderQuirks = {},
): Promise<OpenedSource> {
  const encoded = await openEncoded(file, format, 'source image')
  const { content, header, open, warnings, tone } = encoded
  const drawn = { width: header.width, height: header.pageHeight ?? header.height }
  const shown = screen?.()
  const size = shown?.size ?? drawn
  const instead = decodeInstead?.(encoded)
  const frames = hasFrames ? (header.pages ?? 1) - addedFrames : 1
  return {
    source: { format, ...size, frames, orientation: orientationOf(header) },
    timing: timingOf(header),
    async image(animated) {
      if (instead !== undefined) return instead()
      if (tone !== undefined) {
        return rawImage(await wrapFileDecodeError('source image', warnings, decodeToned(open(), tone)))
      }
      const image: EncodedImage = {
        kind: 'encoded',
        format,
        ...drawn,
        frames: animated ? frames : 1,
        profile: encoded.profile,
        gray: isGray(header),
        wide: encoded.wide,
        open: (part) => open(part ?? (animated ? { page: 0, pages: frames } : {})),
        warnings,
      }
      if (encoded.isDeepGray) return { ...image, open: await withinProfile(image, image.open()) }
      return shown === undefined || isSame(size, drawn) ? image : shown.fit(image)
    },
    rejectCutOff() {
      if (isWhole === undefined || withByteReader(content, file.size, isWhole)) return
      throw damaged('source image', new Error(`the ${format} is truncated`))
    },
  }
}

// sharp rejects larger delays and loop counts, which GIF and WebP can contain.
const MAX_TIMING = 65_535

const timingOf = ({ delay = [], loop = 0 }: Metadata): Timing => ({
  delays: delay.map((milliseconds) => Math.min(milliseconds, MAX_TIMING)),
  loop: Math.min(loop, MAX_TIMING),
})

const isSame = (one: Size, other: Size) => one.width === other.width && one.height === other.height

export const isGray = ({ space }: Pick<Metadata, 'space'>): boolean => space === 'b-w' || space === 'grey16'
