import { AV_NOPTS_VALUE, AV_PICTURE_TYPE_NONE } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { avRescaleQ } from 'node-av/lib'
import type { Size } from '../../operations/operation.ts'
import { evenSize } from '../../plan/video.ts'
import type { Encoder } from './encoder.ts'
import { filterText, type Link, type Pixels } from './filter-text.ts'
import { buildGraph, type Graph } from './graph.ts'
import { frameRateOf, openH264 } from './h264.ts'
import { MICROSECONDS } from './libav.ts'
import type { Media } from './media.ts'
import type { Mp4Writer } from './mp4-writer.ts'
import { newFrame } from './new-frame.ts'
import { type FrameShape, type Ground, groundMatrix, normalize, shapeOf } from './normalize.ts'
import { type DrawnOverlay, overlayFrame } from './overlay.ts'
import { pictureSource } from './picture-source.ts'
import { repeatEdges } from './repeat-edges.ts'
import { FrameClock } from './timeline.ts'

/** What is drawn on every frame once it is brought to the ground. */
export type Drawing = {
  links: readonly Link[]
  overlays: readonly DrawnOverlay[]
  size: Size
  /** Of the ground. */
  pixels: Pixels
}

export type PictureOptions = {
  media: Media
  /** The frame as displayed, before the first operation. */
  displayed: Size
  drawing: Drawing
  writer: Mp4Writer
  threads: number
  maxSeconds: number | undefined
}

/** Takes decoded frames through the filters into the encoder. */
export class PictureTrack implements Disposable {
  /** Whether a frame at or past the wished end came. */
  isComplete = false
  /** Seconds from the start of playing to the last frame that came. */
  seconds = 0
  readonly #options: PictureOptions
  readonly #clock = new FrameClock()
  readonly #filteredClock = new FrameClock()
  readonly #filtered = newFrame()
  readonly #start: bigint
  #shape: FrameShape | undefined
  #ground: Ground | undefined
  #graph: Graph | undefined
  #encoder: Encoder | undefined

  constructor(options: PictureOptions) {
    this.#options = options
    this.#start = avRescaleQ(options.media.startUs, MICROSECONDS, options.media.video.timeBase)
  }

  put(frame: Frame): void {
    const { media, maxSeconds } = this.#options
    const base = media.video.timeBase
    const pts = frame.bestEffortTimestamp
    const time = this.#clock.next(pts === AV_NOPTS_VALUE ? undefined : pts - this.#start, frame.duration)
    if (time === undefined || this.isComplete) return
    const seconds = (Number(time) * base.num) / base.den
    if (maxSeconds !== undefined && seconds >= maxSeconds) {
      this.isComplete = true
      return
    }
    this.seconds = seconds
    frame.pts = time
    frame.duration = this.#durationOf(frame, seconds)
    this.#followShape(frame)
    this.#graph?.put(frame)
    this.#drain()
  }

  finish(): void {
    this.#flushGraph()
    this.#encoder?.finish(this.#endOf(this.#encoder))
  }

  /** What is cut off was preceded by a frame that stood until then. */
  #endOf({ timeBase }: Encoder): bigint | undefined {
    const { maxSeconds } = this.#options
    if (!this.isComplete || maxSeconds === undefined) return undefined
    return avRescaleQ(BigInt(maxSeconds) * 1_000_000n, MICROSECONDS, timeBase)
  }

  [Symbol.dispose](): void {
    this.#graph?.[Symbol.dispose]()
    this.#encoder?.[Symbol.dispose]()
    this.#filtered.free()
  }

  /** The last frame's duration is the video's end, so none may be without one or reach past the wished end. */
  #durationOf(frame: Frame, seconds: number): bigint {
    const { media, maxSeconds } = this.#options
    const { timeBase } = media.video
    const rate = frameRateOf(media)
    const ticks = (of: number) => BigInt(Math.max(1, Math.round((of * timeBase.den) / timeBase.num)))
    const duration = frame.duration > 0n ? frame.duration : ticks(rate.den / rate.num)
    if (maxSeconds === undefined) return duration
    const rest = ticks(maxSeconds - seconds)
    return duration < rest ? duration : rest
  }

  /** Builds the graph for the first frame, and anew when frames change within a video: in size, in colours. */
  #followShape(frame: Frame): void {
    const shape = shapeOf(frame, this.#options.media.video.sampleAspectRatio)
    // Once interlaced frames have come, the filter for them stays: it lets whole ones pass.
    const sticky = { ...shape, isInterlaced: shape.isInterlaced || this.#shape?.isInterlaced === true }
    if (this.#shape !== undefined && isSame(this.#shape, sticky)) return
    this.#flushGraph()
    this.#shape = sticky
    this.#ground ??= {
      ...this.#options.displayed,
      matrix: groundMatrix(sticky),
      pixels: this.#options.drawing.pixels,
    }
    this.#graph = this.#build(frame, sticky, this.#ground)
    this.#encoder ??= openH264(frame, {
      ...this.#options,
      shape: sticky,
      matrix: this.#ground.matrix,
      timeBase: this.#graph.timeBase,
      size: evenSize(this.#options.drawing.size),
    })
  }

  #build(frame: Frame, shape: FrameShape, ground: Ground): Graph {
    const { drawing, media, threads } = this.#options
    const links = [...(normalize(shape, ground, media.turn) as Link[]), ...drawing.links, ...ending(drawing.size)]
    const { timeBase } = media.video
    return buildGraph(filterText(links), {
      main: { name: 'in', open: (graph) => pictureSource(graph, 'in', frame, timeBase) },
      stills: drawing.overlays.map((overlay) => {
        const still = overlayFrame(overlay, ground.matrix)
        return {
          name: overlay.name,
          frame: still,
          open: (graph) => pictureSource(graph, overlay.name, still, timeBase),
        }
      }),
      sink: 'buffersink',
      threads,
    })
  }

  #flushGraph(): void {
    if (this.#graph === undefined) return
    this.#graph.put(null)
    this.#drain()
    this.#graph[Symbol.dispose]()
    this.#graph = undefined
  }

  #drain(): void {
    const graph = this.#graph
    const encoder = this.#encoder
    if (graph === undefined || encoder === undefined) return
    while (graph.take(this.#filtered)) {
      const frame = this.#filtered
      const duration = avRescaleQ(frame.duration, graph.timeBase, encoder.timeBase)
      const time = this.#filteredClock.next(avRescaleQ(frame.pts, graph.timeBase, encoder.timeBase), duration)
      if (time !== undefined) {
        frame.pts = time
        frame.duration = duration
        // The encoder decides itself which frames stand alone.
        frame.pictType = AV_PICTURE_TYPE_NONE
        encoder.encode(frame)
      }
      frame.unref()
    }
  }
}

const isSame = (a: FrameShape, b: FrameShape) =>
  (Object.keys(a) as (keyof FrameShape)[]).every((key) => a[key] === b[key])

/** The last filters: even sides, in the coding that H.264 players know. */
const ending = (size: Size): Link[] => [
  ...(repeatEdges(size) as Link[]),
  { name: 'format', args: { pix_fmts: 'yuv420p' } },
]
