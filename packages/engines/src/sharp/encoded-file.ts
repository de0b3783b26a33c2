import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { Metadata, Sharp, SharpOptions } from 'sharp'
import sharp from 'sharp'
import type { EngineFile } from '../protocol/messages.ts'
import type { Content } from './header.ts'
import { contentOf, inputOptions, readHeader } from './header.ts'
import type { JpegWarnings } from './jpeg-warnings.ts'
import { collectWarnings } from './jpeg-warnings.ts'
import { isWide } from './picture.ts'
import { coloredPng } from './png-colors.ts'
import type { Tone } from './toned.ts'

/** A file that libvips decodes, with its header read. */
export type EncodedFile = {
  content: Content
  header: Metadata
  /** The profile that its colours have to be taken out of. */
  profile: Buffer | undefined
  /** See `isWide`. */
  wide: boolean
  /** Whether it is grey of 16 bits with a profile: sharp leaves that in it (0.35, `pipeline.cc`), and 8 bits not. */
  isDeepGrey: boolean
  /** The light that its values mean, where neither sRGB nor a profile says it. */
  tone: Tone | undefined
  /** A new sharp on the file. */
  open: (options?: SharpOptions) => Sharp
  /** What its decoder has warned of so far. */
  warnings: JpegWarnings
}

/** Reads the header of a file in a format that libvips decodes. It also reads what stands there about its colours. */
export async function openEncoded(
  file: Pick<EngineFile, 'path' | 'size'> & { content?: Content },
  format: ImageSourceFormat,
  what: 'source picture' | 'watermark image',
  operation?: number,
): Promise<EncodedFile> {
  const stored = file.content ?? contentOf(file)
  const { content, tone } = format === 'PNG' ? coloredPng(stored, file.size) : { content: stored, tone: undefined }
  const header = await readHeader(content, format, what, operation)
  const profile = header.icc
  const warnings: JpegWarnings = []
  return {
    content,
    header,
    profile,
    wide: isWide(header),
    isDeepGrey: profile !== undefined && header.space === 'grey16',
    tone,
    open: (options) => collectWarnings(sharp(content, { ...inputOptions(format), ...options }), warnings),
    warnings,
  }
}
