import type { RawPicture } from './raw-picture.ts'

/** Frames of one size, one below the other in one buffer; `height` is one frame's. A still picture has one frame. */
export type Filmstrip = RawPicture & { channels: 3 | 4; frames: number }

/** One frame of a strip. */
export type StripFrame = RawPicture & { channels: 3 | 4 }

/** Returns the frames of a strip as views on its own pixels. What is drawn on them is drawn on the strip. */
export function framesOf(strip: Filmstrip): StripFrame[] {
  const { width, height, channels } = strip
  const bytes = width * height * channels
  return Array.from({ length: strip.frames }, (_, index) => ({
    data: strip.data.subarray(index * bytes, (index + 1) * bytes),
    width,
    height,
    channels,
  }))
}

/** The strip of these frames, which all have the first one's size and channels. */
export function joinFrames(frames: StripFrame[]): Filmstrip {
  const [first] = frames
  if (first === undefined) throw new RangeError('a strip needs a frame')
  const { width, height, channels } = first
  const data = frames.length === 1 ? first.data : Buffer.concat(frames.map((frame) => frame.data))
  return { data, width, height, channels, frames: frames.length }
}

/** Draws frames one after the other and returns their strip. It holds no more than one of them twice. */
export async function joinDrawn(
  frames: AsyncIterable<StripFrame>,
  count: number,
  draw: (frame: StripFrame) => Promise<StripFrame>,
): Promise<Filmstrip> {
  let strip: Filmstrip | undefined
  let end = 0
  for await (const frame of frames) {
    const { data, width, height, channels } = await draw(frame)
    strip ??= { data: Buffer.allocUnsafe(data.length * count), width, height, channels, frames: count }
    strip.data.set(data, end)
    end += data.length
  }
  if (strip?.data.length !== end) throw new RangeError(`a strip of ${count} frames has other pixels`)
  return strip
}
