import { readFile } from 'node:fs/promises'
import type { Size } from '@mediamill/contract/domain/size'
import { factsOf } from '@mediamill/media/formats/facts'
import type { RawPicture } from '@mediamill/media/pixels/raw-picture'
import sharp from 'sharp'
import type { EngineFile } from '../../protocol/messages.ts'
import { inputOptions } from '../../sharp/header.ts'
import type { Picture } from '../../sharp/picture.ts'
import { damaged } from '../../sharp/picture.ts'
import type { OpenedSource } from './opened-source.ts'
import { STILL } from './opened-source.ts'

/** Opens a picture in a format that libvips cannot decode. Our own code reads its header and decodes its pixels. */
export async function openRaw(
  file: EngineFile,
  format: 'BMP' | 'HEIC',
  decode: (bytes: Buffer) => Picture | Promise<Picture>,
): Promise<OpenedSource> {
  const bytes = await readFile(file.path)
  const facts = factsOf(bytes, format)
  return {
    // A HEIC's size is that after its container's turns, and a bitmap has no other orientation than its own.
    source: { format, width: facts.width, height: facts.height, frames: 1, orientation: 1 },
    timing: STILL,
    picture: async () => {
      const picture = await decode(bytes)
      const { width, height } = picture.kind === 'raw' ? picture.strip : picture
      if (width === facts.width && height === facts.height) return picture
      throw damaged(
        'source picture',
        new Error(`the header says ${facts.width} × ${facts.height}, not ${width} × ${height}`),
      )
    },
    // `decode` finds it out: it leaves no part of the file out.
    refuseCutOff: () => {},
  }
}

/** Decoded pixels as a picture to draw on. */
export function rawPicture({ data, width, height, channels }: RawPicture): Picture {
  if (channels < 3) throw new TypeError(`${channels} channels are not a colour picture`)
  return { kind: 'raw', strip: { data, width, height, channels: channels === 3 ? 3 : 4, frames: 1 } }
}

/** Decoded pixels in a container that holds the profile too. */
export function profiledPicture(
  format: 'AVIF' | 'HEIC',
  { width, height }: Size,
  { profile, tiff }: { profile: Buffer; tiff: Buffer },
): Picture {
  const still = { kind: 'encoded', format, frames: 1, profile, grey: false, wide: false } as const
  return { ...still, warnings: [], width, height, open: () => sharp(tiff, inputOptions(format)) }
}
