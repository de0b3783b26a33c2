import { tryRead } from '@mediamill/contract/lib/try-read'
import { readTiffPage } from '@mediamill/media/formats/tiff/tiff-page'
import type { EngineFile } from '../../../protocol/messages.ts'
import { contentOf, orientationOf, withByteReader } from '../../../sharp/header.ts'
import { damaged } from '../../../sharp/image.ts'
import { openWithLibvips } from '../libvips.ts'
import type { OpenedSource } from '../opened-source.ts'
import { STILL } from '../opened-source.ts'
import { decodeTiff } from './decode-tiff.ts'
import { decoderOf } from './tiff-kind.ts'

export async function openTiff(file: EngineFile): Promise<OpenedSource> {
  const content = contentOf(file)
  const page = tryRead(() => withByteReader(content, file.size, readTiffPage))
  // For a file without a page, libvips reports the error.
  if (page === undefined || decoderOf(page) === 'libvips') {
    return openWithLibvips({ ...file, content }, 'TIFF', { hasFrames: true })
  }
  const { width, height, orientation } = page
  return {
    source: { format: 'TIFF', width, height, frames: 1, orientation: orientationOf({ orientation }) },
    timing: STILL,
    image: async () => {
      const plain = tryRead(() => withByteReader(content, file.size, (source) => decodeTiff(source, page)))
      if (plain === undefined)
        throw damaged('source image', new Error('a strip or tile of the TIFF is missing or damaged'))
      const opened = await openWithLibvips({ ...file, content: plain, size: plain.length }, 'TIFF')
      return opened.image(false)
    },
    // `decodeTiff` reads the whole page, so it detects a truncated file.
    rejectCutOff: () => {},
  }
}
