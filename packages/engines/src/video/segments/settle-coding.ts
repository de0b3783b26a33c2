import type { Frame } from 'node-av/lib'
import { shapeOf } from '../color/frame-shape.ts'
import { groundMatrix } from '../color/normalize.ts'
import { Decoder } from '../libav/decoder.ts'
import { newFrame, newPacket } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { readPacket } from '../libav/media.ts'
import { displayedSizeOf } from '../metadata.ts'
import { buildFrameGraph } from '../tracks/frame-graph.ts'
import type { VideoCoding } from '../tracks/h264.ts'
import { codingOf } from '../tracks/h264.ts'

/** The encoding of all segments, which depends on the first frame of the video. */
export type Settled = { coding: VideoCoding; isInterlaced: boolean }

export async function settleCoding(media: Media, maxPixels: number): Promise<Settled | undefined> {
  using decoder = await Decoder.open('video', media.video, { threads: 1, maxPixels })
  using frame = newFrame()
  using packet = newPacket()
  let settled: Settled | undefined
  const take = (first: Frame) => {
    settled ??= settle(media, first)
  }
  while (settled === undefined) {
    const read = await readPacket(media, packet)
    if (read < 0) {
      decoder.decode(null, frame, take)
      break
    }
    if (packet.streamIndex === media.video.index) decoder.decode(packet, frame, take)
    packet.unref()
  }
  return settled
}

function settle(media: Media, first: Frame): Settled {
  const shape = shapeOf(first, media.video.sampleAspectRatio)
  const displayed = displayedSizeOf(media)
  const matrix = groundMatrix(shape)
  const ground = { ...displayed, matrix, pixels: 'yuv420p' as const }
  const drawing = { links: [], overlays: [], size: displayed, pixels: ground.pixels }
  // Operations do not change the time base.
  using graph = buildFrameGraph(first, { media, drawing, shape, ground, threads: 1 })
  return {
    coding: codingOf(first, shape, { media, matrix, timeBase: graph.timeBase }),
    isInterlaced: shape.isInterlaced,
  }
}
