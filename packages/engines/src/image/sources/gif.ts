import { readFileSync } from 'node:fs'
import type { Size } from '@mediamill/contract/domain/size'
import { readWholeGif, withClearFrame } from '@mediamill/media/formats/gif'
import type { EngineFile } from '../../protocol/messages.ts'
import { contentOf, withByteReader } from '../../sharp/header.ts'
import type { EncodedImage, Image } from '../../sharp/image.ts'
import { damaged, toStrip } from '../../sharp/image.ts'
import { openWithLibvips } from './libvips.ts'
import type { OpenedSource } from './opened-source.ts'

/** Opens a GIF. Reads the screen size from the file, because libnsgif reports another size in some cases. */
export async function openGif(file: EngineFile): Promise<OpenedSource> {
  const content = contentOf(file)
  const gif = withByteReader(content, file.size, readWholeGif)
  // libvips accepts an incomplete last frame even with `failOn`.
  if (gif === undefined) throw damaged('source image', new Error('the GIF ends within a block'))
  const { screen: size, isCovered } = gif
  if (size.width === 0 || size.height === 0) throw damaged('source image', new Error('the GIF has no size'))
  const screen = () => ({ size, fit: (image: EncodedImage) => onScreen(image, size) })
  if (isCovered) return openWithLibvips({ ...file, content }, 'GIF', { hasFrames: true, screen })
  const bytes = typeof content === 'string' ? readFileSync(content) : content
  return openWithLibvips({ ...file, content: withClearFrame(bytes, gif) }, 'GIF', {
    hasFrames: true,
    addedFrames: 1,
    screen,
  })
}

/**
 * Crops or extends the frames to the screen. libnsgif enlarges the screen for every frame that exceeds it. Browsers
 * enlarge it only for the first frame.
 */
async function onScreen(image: EncodedImage, { width, height }: Size): Promise<Image> {
  const inside = { left: 0, top: 0, width: Math.min(width, image.width), height: Math.min(height, image.height) }
  const missing = { right: width - inside.width, bottom: height - inside.height }
  const background = { r: 0, g: 0, b: 0, alpha: 0 }
  const strip = await toStrip(image, (image) => image.extract(inside).extend({ ...missing, background }))
  return { kind: 'raw', strip }
}
