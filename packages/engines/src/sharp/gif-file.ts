import { readFileSync } from 'node:fs'
import type { Size } from '@mediamill/contract/domain/size'
import { readWholeGif, withTransparency } from '@mediamill/media/formats/gif'
import type { Sharp } from 'sharp'
import type { EngineFile } from '../protocol/messages.ts'
import type { Content } from './header.ts'
import { contentOf, withByteReader } from './header.ts'
import { damaged } from './image.ts'

type GifFile = {
  content: Content
  screen: Size
  /** The number of frames at the end that are not part of the image. */
  addedFrames: number
}

/** Reads the screen size from the file, because libnsgif reports another size in some cases. */
export function readGif(
  file: Pick<EngineFile, 'path' | 'size'>,
  subject: Parameters<typeof damaged>[0],
  operation?: number,
): GifFile {
  const content = contentOf(file)
  const gif = withByteReader(content, file.size, readWholeGif)
  // libvips accepts an incomplete last frame even with `failOn`.
  if (gif === undefined) throw damaged(subject, new Error('the GIF ends within a block'), operation)
  const { screen, isCovered, cleared } = gif
  if (screen.width === 0 || screen.height === 0) throw damaged(subject, new Error('the GIF has no size'), operation)
  if (isCovered && cleared.length === 0) return { content, screen, addedFrames: 0 }
  const bytes = typeof content === 'string' ? readFileSync(content) : content
  return { content: withTransparency(bytes, gif), screen, addedFrames: isCovered ? 0 : 1 }
}

/**
 * Crops or extends a frame to the screen. libnsgif enlarges the screen for every frame that exceeds it. Browsers
 * enlarge it only for the first frame.
 */
export function onScreen(image: Sharp, frame: Size, { width, height }: Size): Sharp {
  if (frame.width === width && frame.height === height) return image
  const inside = { left: 0, top: 0, width: Math.min(width, frame.width), height: Math.min(height, frame.height) }
  const missing = { right: width - inside.width, bottom: height - inside.height }
  return image.extract(inside).extend({ ...missing, background: { r: 0, g: 0, b: 0, alpha: 0 } })
}
