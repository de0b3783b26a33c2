import type { EngineFile } from '../../protocol/messages.ts'
import { onScreen, readGif } from '../../sharp/gif-file.ts'
import type { EncodedImage, Image } from '../../sharp/image.ts'
import { toStrip } from '../../sharp/image.ts'
import { openWithLibvips } from './libvips.ts'
import type { OpenedSource } from './opened-source.ts'

export async function openGif(file: EngineFile): Promise<OpenedSource> {
  const { content, screen: size, addedFrames } = readGif(file, 'source image')
  const fit = async (image: EncodedImage): Promise<Image> => ({
    kind: 'raw',
    strip: await toStrip(image, (frames) => onScreen(frames, image, size)),
  })
  return openWithLibvips({ ...file, content }, 'GIF', { hasFrames: true, addedFrames, screen: () => ({ size, fit }) })
}
