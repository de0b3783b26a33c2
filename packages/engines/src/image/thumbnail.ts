import { isOwnThumbnail, thumbnailSize } from '@mediamill/contract/domain/drawn/thumbnail'
import type { Size } from '@mediamill/contract/domain/size'
import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import type { ImagePlan } from '@mediamill/media/plan/image'
import type { EngineJob, EngineThumbnail } from '../protocol/messages.ts'
import type { Picture } from '../sharp/picture.ts'
import { framesIn, openPicture } from '../sharp/picture.ts'
import { makeThumbnail, makeThumbnailOfPixels } from '../sharp/thumbnail.ts'
import type { Ground } from './compile/draw.ts'
import { runPipeline } from './compile/draw.ts'
import type { Pipeline } from './compile/pipeline.ts'
import { PASS_THROUGH, scaled } from './compile/pipeline.ts'

/** The pixels of a larger picture take more memory than its thumbnail is worth. */
const MOST_PIXELS = 100_000_000

/** Tells whether the picture that a plan makes needs a thumbnail. */
export const wantsThumbnail = (job: Pick<EngineJob, 'thumbnail'>, { format, size, frames }: ImagePlan): boolean =>
  job.thumbnail === true && !isOwnThumbnail(format, size, frames) && size.width * size.height <= MOST_PIXELS

/**
 * Tells whether a picture drawn into 8 bits makes the same file, to the byte.
 *
 * Not in grey, which is encoded as such, nor in wide colours; and an animation's frames together would fill the memory.
 */
export const isPlain = (picture: Picture): boolean =>
  framesIn(picture) === 1 && (picture.kind === 'raw' || (!picture.grey && !picture.wide))

/** From so many pixels on, to hold them all for a moment costs more than to read a JPEG again at an eighth of its size. */
const MANY_PIXELS = 8_000_000

/**
 * Tells whether the thumbnail of a large JPEG is made of its file. Its decoder makes it small as it reads it.
 *
 * Pixels of 24 megapixels that are held for both cost 29 % of a flip (decision 69). A decoder that the source needed
 * already is let in; no other is.
 */
export const readsResultAgain = (picture: Picture, { format, size }: ImagePlan): boolean =>
  format === 'jpg' && picture.kind === 'encoded' && picture.format === 'JPEG' && size.width * size.height > MANY_PIXELS

/**
 * Returns the pixels of a picture that is drawn already, as after a watermark.
 *
 * The encoder reads them where they are, and so does the thumbnail: another copy of 12 megapixels costs 8 to 12 ms.
 */
export function finishedPixels(picture: Picture, pipeline: Pipeline, { flatten }: Ground): Filmstrip | undefined {
  if (picture.kind !== 'raw' || pipeline !== PASS_THROUGH || picture.strip.frames > 1) return undefined
  return flatten && picture.strip.channels === 4 ? undefined : picture.strip
}

/**
 * Tells whether a thumbnail is drawn by itself, from its JPEG source.
 *
 * It is so for WebPs. Pixels of 12 megapixels that are held for both cost 28 to 39 ms: libwebp takes rows as they come, and does less for it.
 * Read again at an eighth of their size they cost 13 (decision 82). A part that is cut out first would be read at full size,
 * and a picture that was made smaller cannot be turned by any other angle.
 */
export const drawsSourceAgain = (picture: Picture, { extract, turn }: Pipeline, { format }: ImagePlan): boolean =>
  format === 'webp' &&
  picture.kind === 'encoded' &&
  picture.format === 'JPEG' &&
  extract === undefined &&
  turn % 90 === 0

/** Draws a thumbnail from the source, with each step as much smaller. None, where anything fails. */
export async function drawSmall(
  job: EngineJob,
  picture: Picture,
  { pipeline, ground, size }: { pipeline: Pipeline; ground: Ground; size: Size },
): Promise<{ thumbnail?: EngineThumbnail }> {
  if (picture.kind === 'raw') return {}
  try {
    const small = scaled(pipeline, picture, thumbnailSize(size).width / size.width)
    return await makeThumbnail(job, openPicture(await runPipeline(picture, small, ground)), size)
  } catch {
    return {}
  }
}

/** Makes the thumbnail of the first frame that a pipeline draws. None, where anything fails. */
export async function drawThumbnail(
  job: EngineJob,
  picture: Picture,
  { pipeline, ground }: { pipeline: Pipeline; ground: Ground },
): Promise<{ thumbnail?: EngineThumbnail }> {
  try {
    const drawn = await runPipeline(firstFrame(picture), pipeline, ground)
    return drawn.kind === 'raw' ? await makeThumbnailOfPixels(job, drawn.strip) : {}
  } catch {
    return {}
  }
}

function firstFrame(picture: Picture): Picture {
  if (framesIn(picture) === 1) return picture
  if (picture.kind === 'encoded') return { ...picture, frames: 1, open: () => picture.open({ page: 0, pages: 1 }) }
  const { data, width, height, channels } = picture.strip
  return { kind: 'raw', strip: { ...picture.strip, data: data.subarray(0, width * height * channels), frames: 1 } }
}
