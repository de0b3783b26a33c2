import { AV_NOPTS_VALUE, AV_PICTURE_TYPE_NONE } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { avRescaleQ } from 'node-av/lib'
import type { Size } from '../../../domain/size.ts'
import { evenSize } from '../../../media/plan/video.ts'
import type { FrameShape } from '../color/frame-shape.ts'
import { shapeOf } from '../color/frame-shape.ts'
import type { Ground } from '../color/normalize.ts'
import { groundMatrix, normalize } from '../color/normalize.ts'
import { repeatEdges } from '../color/repeat-edges.ts'
import type { Encoder } from '../libav/encoder.ts'
import type { Link, Pixels } from '../libav/filter-text.ts'
import { filterText } from '../libav/filter-text.ts'
import type { Graph } from '../libav/graph.ts'
import { buildGraph } from '../libav/graph.ts'
import { MICROSECONDS } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'
import { newFrame } from '../libav/new-frame.ts'
import { pictureSource } from '../libav/picture-source.ts'
import { Cut } from './cut.ts'
import { frameRateOf, openH264 } from './h264.ts'
import type { DrawnOverlay } from './overlay.ts'
import { overlayFrame } from './overlay.ts'
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
  readonly #options: PictureOptions
  readonly #clock = new FrameClock()
  readonly #filteredClock = new FrameClock()
  readonly #filtered = newFrame()
  readonly #start: bigint
  readonly #cut: Cut
  #shape: FrameShape | undefined
  #ground: Ground | undefined
  #graph: Graph | undefined
  #encoder: Encoder | undefined

  constructor(options: PictureOptions) {
    this.#options = options
    this.#start = avRescaleQ(options.media.startUs, MICROSECONDS, options.media.video.timeBase)
    this.#cut = new Cut(options.maxSeconds, options.media.video.timeBase)
  }

  /** Whether no further frame is wanted. */
  get isComplete(): boolean {
    return this.#cut.isComplete
  }

  put(frame: Frame): void {
    const pts = frame.bestEffortTimestamp
    const time = this.#clock.next(pts === AV_NOPTS_VALUE ? undefined : pts - this.#start, frame.duration)
    if (time === undefined || this.isComplete) return
    // The last frame's duration is the video's end, so none is without one.
    const duration = this.#cut.take(time, frame.duration > 0n ? frame.duration : this.#frameTicks())
    if (duration === undefined) return
    frame.pts = time
    frame.duration = duration
    this.#followShape(frame)
    this.#graph?.put(frame)
    this.#drain()
  }

  finish(): void {
    this.#flushGraph()
    const encoder = this.#encoder
    if (encoder === undefined) return
    const { end } = this.#cut
    const { timeBase } = this.#options.media.video
    encoder.finish(end === undefined ? undefined : avRescaleQ(end, timeBase, encoder.timeBase))
  }

  [Symbol.dispose](): void {
    this.#graph?.[Symbol.dispose]()
    this.#encoder?.[Symbol.dispose]()
    this.#filtered.free()
  }

  #frameTicks(): bigint {
    const { num, den } = frameRateOf(this.#options.media)
    return avRescaleQ(1n, { num: den, den: num }, this.#options.media.video.timeBase)
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
    const links = [...normalize(shape, ground, media.turn), ...drawing.links, ...ending(drawing.size)]
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
const ending = (size: Size): Link[] => [...repeatEdges(size), { name: 'format', args: { pix_fmts: 'yuv420p' } }]
