import type { Size } from '@mediamill/contract/domain/size'
import { sizeOfWholeGif } from '@mediamill/media/formats/gif'
import type { EngineFile } from '../../protocol/messages.ts'
import type { Content } from '../../sharp/header.ts'
import { withByteReader } from '../../sharp/header.ts'
import type { EncodedImage, Image } from '../../sharp/image.ts'
import { damaged, toStrip } from '../../sharp/image.ts'
import { openWithLibvips } from './libvips.ts'
import type { OpenedSource } from './opened-source.ts'

/** Opens a GIF. Reads the screen size from the file, because libnsgif reports another size in some cases. */
export const openGif = (file: EngineFile): Promise<OpenedSource> =>
  openWithLibvips(file, 'GIF', {
    hasFrames: true,
    screen({ content }) {
      const size = screenSize(content, file.size)
      return { size, fit: (image) => onScreen(image, size) }
    },
  })

/** Returns the screen size. Throws for a truncated GIF: libvips accepts an incomplete last frame even with `failOn`. */
function screenSize(content: Content, fileBytes: number): Size {
  const whole = withByteReader(content, fileBytes, sizeOfWholeGif)
  if (whole === undefined) throw damaged('source image', new Error('the GIF ends within a block'))
  if (whole.width === 0 || whole.height === 0) throw damaged('source image', new Error('the GIF has no size'))
  return whole
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
