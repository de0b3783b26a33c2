import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { Metadata, Sharp, SharpOptions } from 'sharp'
import sharp from 'sharp'
import type { EngineFile } from '../protocol/messages.ts'
import type { Content } from './header.ts'
import { contentOf, inputOptions, readHeader } from './header.ts'
import { isWide } from './image.ts'
import type { JpegWarnings } from './jpeg-warnings.ts'
import { collectWarnings } from './jpeg-warnings.ts'
import { coloredPng } from './png-colors.ts'
import type { Tone } from './toned.ts'

export type EncodedFile = {
  content: Content
  header: Metadata
  profile: Buffer | undefined
  wide: boolean
  /**
   * Whether the image is 16-bit gray with a profile. sharp converts such an image only at 8 bits (0.35, `pipeline.cc`).
   */
  isDeepGray: boolean
  /** How to convert colors. Set if the image is not sRGB and has no profile. */
  tone: Tone | undefined
  open: (options?: SharpOptions) => Sharp
  warnings: JpegWarnings
}

export async function openEncoded(
  file: Pick<EngineFile, 'path' | 'size'> & { content?: Content },
  format: ImageSourceFormat,
  subject: 'source image' | 'watermark image',
  operation?: number,
): Promise<EncodedFile> {
  const stored = file.content ?? contentOf(file)
  const { content, tone } = format === 'PNG' ? coloredPng(stored, file.size) : { content: stored, tone: undefined }
  const header = await readHeader(content, format, subject, operation)
  const profile = header.icc
  const warnings: JpegWarnings = []
  return {
    content,
    header,
    profile,
    wide: isWide(header),
    isDeepGray: profile !== undefined && header.space === 'grey16',
    tone,
    open: (options) => collectWarnings(sharp(content, { ...inputOptions(format), ...options }), warnings),
    warnings,
  }
}
