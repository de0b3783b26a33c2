import type { Size } from '@mediamill/contract/domain/size'
import { sizeOfWholeGif } from '@mediamill/media/formats/gif'
import type { EngineFile } from '../../protocol/messages.ts'
import type { Content } from '../../sharp/header.ts'
import { lookInto } from '../../sharp/header.ts'
import type { EncodedPicture, Picture } from '../../sharp/picture.ts'
import { damaged, toStrip } from '../../sharp/picture.ts'
import { openWithLibvips } from './libvips.ts'
import type { OpenedSource } from './opened-source.ts'

/** Opens a GIF, whose screen is not always what libnsgif makes of it. */
export const openGif = (file: EngineFile): Promise<OpenedSource> =>
  openWithLibvips(file, 'GIF', {
    hasFrames: true,
    screen({ content }) {
      const size = screenSize(content, file.size)
      return { size, fit: (picture) => onScreen(picture, size) }
    },
  })

/** libvips takes an animation's last frame as far as it goes, whatever `failOn` says: a file cut off is refused here. */
function screenSize(content: Content, fileBytes: number): Size {
  const whole = lookInto(content, fileBytes, sizeOfWholeGif)
  if (whole === undefined) throw damaged('source picture', new Error('the GIF ends within a block'))
  if (whole.width === 0 || whole.height === 0) throw damaged('source picture', new Error('the GIF has no size'))
  return whole
}

/**
 * A GIF on its whole screen, and on no more.
 *
 * libnsgif takes some screens for monitors and leaves out what no frame reaches; and it grows for every frame that
 * sticks out, where browsers make room for the first one alone.
 */
async function onScreen(picture: EncodedPicture, { width, height }: Size): Promise<Picture> {
  const inside = { left: 0, top: 0, width: Math.min(width, picture.width), height: Math.min(height, picture.height) }
  const missing = { right: width - inside.width, bottom: height - inside.height }
  const background = { r: 0, g: 0, b: 0, alpha: 0 }
  const strip = await toStrip(picture, (image) => image.extract(inside).extend({ ...missing, background }))
  return { kind: 'raw', strip }
}
