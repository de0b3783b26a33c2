import type { RawImage } from './raw-image.ts'

/** Frames of the same size, one below another. `height` is the height of one frame. A still image has one frame. */
export type Filmstrip = RawImage & { frames: number }

export function framesOf(strip: Filmstrip): RawImage[] {
  const { width, height, channels } = strip
  const bytes = width * height * channels
  return Array.from({ length: strip.frames }, (_, index) => ({
    data: strip.data.subarray(index * bytes, (index + 1) * bytes),
    width,
    height,
    channels,
  }))
}

export function joinFrames(frames: RawImage[]): Filmstrip {
  const [first] = frames
  if (first === undefined) throw new RangeError('a filmstrip needs at least one frame')
  const { width, height, channels } = first
  const data = frames.length === 1 ? first.data : Buffer.concat(frames.map((frame) => frame.data))
  return { data, width, height, channels, frames: frames.length }
}

/** Copies frames into one strip while they are drawn, so that at most one frame is in memory twice. */
export async function joinDrawn(
  frames: AsyncIterable<RawImage>,
  count: number,
  draw: (frame: RawImage) => Promise<RawImage>,
): Promise<Filmstrip> {
  let strip: Filmstrip | undefined
  let end = 0
  for await (const frame of frames) {
    const { data, width, height, channels } = await draw(frame)
    strip ??= { data: Buffer.allocUnsafe(data.length * count), width, height, channels, frames: count }
    strip.data.set(data, end)
    end += data.length
  }
  if (strip?.data.length !== end) throw new RangeError(`a filmstrip of ${count} frames needs frames of equal size`)
  return strip
}
