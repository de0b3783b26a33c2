import {
  AV_NOPTS_VALUE,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  AVCOL_PRI_BT470BG,
  AVCOL_PRI_BT709,
  AVCOL_PRI_SMPTE170M,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_BT709,
  AVCOL_TRC_SMPTE170M,
  AVCOL_TRC_UNSPECIFIED,
  FF_ENCODER_LIBX264,
} from 'node-av/constants'
import type { CodecContext, FilterGraph } from 'node-av/lib'
import { avRescaleQ, Codec, Filter, Frame } from 'node-av/lib'
import type { Size } from '../../operations/operation.ts'
import { evenSize } from '../../plan/video.ts'
import { Encoder } from './encoder.ts'
import { filterText, type Link } from './filter-text.ts'
import { buildGraph, type Graph } from './graph.ts'
import { check, existing, MICROSECONDS } from './libav.ts'
import type { Media } from './media.ts'
import type { Mp4Writer } from './mp4-writer.ts'
import { type FrameShape, type Ground, groundMatrix, type Matrix, normalize, shapeOf } from './normalize.ts'
import { type DrawnOverlay, overlayFrame } from './overlay.ts'
import { FrameClock } from './timeline.ts'

/** What is drawn on every frame once it is brought to the ground. */
export type Drawing = { links: readonly Link[]; overlays: readonly DrawnOverlay[]; size: Size; needsFullChroma: boolean }

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
  readonly #filtered = new Frame()
  readonly #start: bigint
  #shape: FrameShape | undefined
  #ground: Ground | undefined
  #graph: Graph | undefined
  #encoder: Encoder | undefined

  constructor(options: PictureOptions) {
    this.#options = options
    this.#start = avRescaleQ(options.media.startUs, MICROSECONDS, options.media.video.timeBase)
    this.#filtered.alloc()
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
    this.#encoder?.encode(null)
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
      pixels: this.#options.drawing.needsFullChroma ? 'yuv444p' : 'yuv420p',
    }
    this.#graph = this.#build(frame, sticky, this.#ground)
    this.#encoder ??= this.#open(frame, sticky, this.#ground, this.#graph)
  }

  #build(frame: Frame, shape: FrameShape, ground: Ground): Graph {
    const { drawing, media, threads } = this.#options
    const links = [...(normalize(shape, ground, media.turn) as Link[]), ...drawing.links, ...ending(drawing.size)]
    const { timeBase } = media.video
    return buildGraph(filterText(links, ground.pixels), {
      main: { name: 'in', open: (graph) => pictureSource(graph, 'in', frame, timeBase) },
      stills: drawing.overlays.map((overlay) => {
        const still = overlayFrame(overlay, ground)
        return { name: overlay.name, frame: still, open: (graph) => pictureSource(graph, overlay.name, still, timeBase) }
      }),
      sink: 'buffersink',
      threads,
    })
  }

  #open(frame: Frame, shape: FrameShape, ground: Ground, graph: Graph): Encoder {
    const { drawing, media, writer, threads } = this.#options
    const size = evenSize(drawing.size)
    // The preset and the quality that research/performance.md measured against ffmpeg's own command.
    const options = { preset: 'veryfast', crf: 23 }
    const set = (context: CodecContext) => {
      context.width = size.width
      context.height = size.height
      context.pixelFormat = AV_PIX_FMT_YUV420P
      context.timeBase = graph.timeBase as CodecContext['timeBase']
      context.framerate = frameRateOf(media) as CodecContext['framerate']
      context.threadCount = threads
      setColors(context, frame, shape, ground.matrix)
    }
    const codec = existing(Codec.findEncoderByName(FF_ENCODER_LIBX264), 'libx264')
    return Encoder.open(codec, options, set, { writer, track: 'picture' })
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

/** The last frames' filters: even sides, which repeat the edge where one is odd, in the coding that H.264 players know. */
function ending(size: Size): Link[] {
  const even = evenSize(size)
  const right = even.width - size.width
  const bottom = even.height - size.height
  const links: Link[] = [{ name: 'format', args: { pix_fmts: 'yuv420p' } }]
  if (right + bottom === 0) return links
  return [
    { name: 'pad', args: { w: even.width, h: even.height, x: 0, y: 0 } },
    { name: 'fillborders', args: { right, bottom, mode: 'smear' } },
    ...links,
  ]
}

function pictureSource(graph: FilterGraph, name: string, frame: Frame, timeBase: { num: number; den: number }) {
  const source = existing(graph.allocFilter(existing(Filter.getByName('buffer'), 'buffer'), name), 'buffer')
  const { width, height, format, sampleAspectRatio, colorRange, colorSpace } = frame
  const shape = { width, height, format, timeBase, sampleAspectRatio, colorRange, colorSpace }
  check(source.buffersrcParametersSet(shape), 'describe the frames')
  check(source.init(null), 'open the source')
  return source
}

/** Frames a second as the file says; 25 where it does not. */
function frameRateOf({ video }: Media): { num: number; den: number } {
  const rate = [video.avgFrameRate, video.rFrameRate].find(({ num, den }) => num > 0 && den > 0)
  return rate === undefined ? { num: 25, den: 1 } : { num: rate.num, den: rate.den }
}

const COLORS = {
  bt709: [AVCOL_SPC_BT709, AVCOL_PRI_BT709, AVCOL_TRC_BT709],
  smpte170m: [AVCOL_SPC_SMPTE170M, AVCOL_PRI_SMPTE170M, AVCOL_TRC_SMPTE170M],
  bt470bg: [AVCOL_SPC_BT470BG, AVCOL_PRI_BT470BG, AVCOL_TRC_SMPTE170M],
} as const satisfies Record<Matrix, unknown>

/** Says what the colours mean: as the source did, where it did and they are not mapped. */
function setColors(context: CodecContext, frame: Frame, { light }: FrameShape, matrix: Matrix): void {
  const [space, primaries, transfer] = COLORS[matrix]
  const isTold = (value: number, none: number) => light === 'sdr' && value !== none && value !== 0
  context.colorRange = AVCOL_RANGE_MPEG
  context.colorSpace = space
  context.colorPrimaries = isTold(frame.colorPrimaries, AVCOL_PRI_UNSPECIFIED) ? frame.colorPrimaries : primaries
  context.colorTrc = isTold(frame.colorTrc, AVCOL_TRC_UNSPECIFIED) ? frame.colorTrc : transfer
}
