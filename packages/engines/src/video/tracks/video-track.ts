import type { Size } from '@mediamill/contract/domain/size'
import { evenSize } from '@mediamill/media/plan/video'
import { AV_NOPTS_VALUE, AV_PICTURE_TYPE_NONE } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { avRescaleQ } from 'node-av/lib'
import type { X264Instructions } from '../../protocol/messages.ts'
import type { FrameShape } from '../color/frame-shape.ts'
import { shapeOf } from '../color/frame-shape.ts'
import type { Ground } from '../color/normalize.ts'
import { groundMatrix } from '../color/normalize.ts'
import type { Encoded, Encoder } from '../libav/encoder.ts'
import type { Graph } from '../libav/graph.ts'
import { existing, MICROSECONDS, newFrame } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'
import { Cut } from './cut.ts'
import type { Drawing } from './frame-graph.ts'
import { buildFrameGraph } from './frame-graph.ts'
import type { VideoCoding } from './h264.ts'
import { codingOf, frameRateOf, frameTicks, groupsOf, openH264 } from './h264.ts'
import type { SegmentBounds } from './segment-window.ts'
import { PlanMismatchError, SegmentWindow, StartTooLateError } from './segment-window.ts'
import { FrameClock } from './timeline.ts'

type VideoTrackOptions = {
  media: Media
  displayed: Size
  drawing: Drawing
  writer: Mp4Writer
  threads: number
  instructions: X264Instructions | undefined
  maxSeconds: number | undefined
  /** The bounds and encoding of a segment. The first frame of the whole video determines `coding`. */
  segment?: SegmentBounds & { coding: VideoCoding; groupFrames: number }
  stretches?: Stretches | undefined
}

/** How to encode a long unsplit video: in stretches as long as segments, so that splitting does not change results. */
export type Stretches = {
  /** The start times of all stretches except the first, in ticks from the start of playback. */
  cuts: readonly bigint[]
  groupFrames: readonly number[]
}

// With this many copies before it, the first keyframe of a segment has the quality of later keyframes.
const COPIES_BEFORE = 8

export class VideoTrack implements Disposable {
  readonly #options: VideoTrackOptions
  readonly #clock = new FrameClock()
  readonly #filteredClock = new FrameClock()
  readonly #filtered = newFrame()
  readonly #before = newFrame()
  /** The last filtered frame. It is encoded when the next frame is known. */
  readonly #held = newFrame()
  readonly #start: bigint
  readonly #cut: Cut
  readonly #window: SegmentWindow
  #shape: FrameShape | undefined
  #ground: Ground | undefined
  #graph: Graph | undefined
  #encoder: Encoder | undefined
  #hasEncoded = false
  #passed = 0

  constructor(options: VideoTrackOptions) {
    this.#options = options
    this.#start = avRescaleQ(options.media.startUs, MICROSECONDS, options.media.video.timeBase)
    const { timeBase, startTime } = options.media.video
    const first = startTime === AV_NOPTS_VALUE ? 0n : startTime - this.#start
    this.#cut = new Cut(options.maxSeconds, timeBase, first)
    this.#window = new SegmentWindow(options.segment ?? { from: undefined, until: undefined })
  }

  get isComplete(): boolean {
    return this.#cut.isComplete || this.#window.isComplete
  }

  /**
   * Returns when a frame is displayed, in ticks from the start of playback. For MPEG-1 in an AVI, the decoder returns
   * the first frame without a delay, so the first time is raised to 0.
   */
  #shownAt(pts: bigint): bigint {
    const { frameDelay } = this.#options.media
    const time = pts - this.#start - frameDelay
    return frameDelay > 0n && time < 0n ? 0n : time
  }

  /**
   * Accepts a decoded frame. Throws `StartTooLateError` or `PlanMismatchError` if the segment has no frame exactly at
   * its start or end.
   */
  put(frame: Frame): void {
    const pts = frame.bestEffortTimestamp
    const time = this.#clock.next(pts === AV_NOPTS_VALUE ? undefined : this.#shownAt(pts), frame.duration)
    if (time === undefined || this.isComplete) return
    // The duration of the last frame determines the end of the video.
    const duration = this.#cut.take(
      time,
      frame.duration > 0n ? frame.duration : this.#frameTicks(this.#options.media.video.timeBase),
    )
    if (duration === undefined) return
    frame.pts = time
    frame.duration = duration
    const place = this.#window.place(time)
    if (place === 'before') return this.#keepBefore(frame)
    if (place === 'first') this.#feedBefore(frame)
    // The deinterlacing filter also reads the previous and the next frame, even across cuts.
    if (place !== 'behind' || this.#shape?.isInterlaced === true) this.#feed(frame)
  }

  /** Encodes the remaining frames. Returns the times of all frames in ticks of the encoder. */
  finish(): Encoded | undefined {
    this.#flushGraph()
    const encoder = this.#encoder
    if (encoder === undefined) return undefined
    const end = this.#inCoding(this.#window.until ?? this.#cut.end, encoder)
    this.#encodeLast(encoder, end)
    return encoder.finish(end)
  }

  [Symbol.dispose](): void {
    this.#graph?.[Symbol.dispose]()
    this.#encoder?.[Symbol.dispose]()
    this.#filtered.free()
    this.#before.free()
    this.#held.free()
  }

  /** The end in the header of an MP4 or MOV. In other formats, frame durations are exact. */
  get #declaredEnd(): bigint | undefined {
    const { format, video } = this.#options.media
    if ((format !== 'MP4' && format !== 'MOV') || video.startTime === AV_NOPTS_VALUE) return undefined
    return video.startTime + video.duration - this.#start
  }

  #frameTicks(timeBase: { num: number; den: number }): bigint {
    return frameTicks({ rate: this.#options.segment?.coding.rate ?? frameRateOf(this.#options.media), timeBase })
  }

  #keepBefore(frame: Frame): void {
    this.#before.unref()
    this.#before.ref(frame)
  }

  #feedBefore(first: Frame): void {
    if (this.#window.from === undefined || !shapeOf(first, this.#aspect).isInterlaced) return
    if (this.#before.width === 0)
      throw new StartTooLateError('the first frame is interlaced, and no earlier frame was decoded')
    this.#feed(this.#before)
  }

  get #aspect() {
    return this.#options.media.video.sampleAspectRatio
  }

  #feed(frame: Frame): void {
    this.#followShape(frame)
    this.#graph?.put(frame)
    this.#drain()
  }

  #followShape(frame: Frame): void {
    const { media, drawing, displayed, writer, threads, instructions, segment: part, stretches } = this.#options
    const shape = shapeOf(frame, this.#aspect)
    // The deinterlacing filter stays after the first interlaced frame. It does not change progressive frames.
    const sticky = { ...shape, isInterlaced: shape.isInterlaced || this.#shape?.isInterlaced === true }
    if (this.#shape !== undefined && isSame(this.#shape, sticky)) return
    this.#flushGraph()
    this.#shape = sticky
    const matrix = part?.coding.matrix ?? groundMatrix(sticky)
    this.#ground ??= { ...displayed, matrix, pixels: drawing.pixels }
    this.#graph = buildFrameGraph(frame, { media, drawing, shape: sticky, ground: this.#ground, threads })
    const { timeBase } = this.#graph
    this.#encoder ??= openH264({
      writer,
      threads,
      instructions,
      coding: part?.coding ?? codingOf(frame, sticky, { media, matrix: this.#ground.matrix, timeBase }),
      size: evenSize(drawing.size),
      groupFrames: part?.groupFrames ?? stretches?.groupFrames[0],
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
      if (time !== undefined && this.#isWithin(time, encoder)) {
        frame.pts = time
        frame.duration = duration
        frame.pictType = AV_PICTURE_TYPE_NONE
        this.#encodeHeld(encoder, time)
        this.#held.ref(frame)
      }
      frame.unref()
    }
  }

  /**
   * Encodes the frame in `#held`. Shortens the frame to end by `until`, because durations are wrong at gaps in an MP4
   * with reordered frames.
   */
  #encodeHeld(encoder: Encoder, until: bigint | undefined): void {
    const held = this.#held
    if (held.width === 0) return
    const duration = until === undefined ? held.duration : until - held.pts
    if (duration > 0n && duration < held.duration) held.duration = duration
    this.#encode(encoder, held)
    held.unref()
  }

  /** Encodes the last frame. If the source continues after `end`, the frame lasts until `end`. */
  #encodeLast(encoder: Encoder, end: bigint | undefined): void {
    const held = this.#held
    if (end !== undefined && held.duration < end - held.pts) held.duration = end - held.pts
    // A regular duration is right, even if an edit list ends within the frame. A longer duration may include a gap.
    const isRegular = held.duration <= 2n * this.#frameTicks(encoder.timeBase)
    this.#encodeHeld(encoder, end ?? (isRegular ? undefined : this.#inCoding(this.#declaredEnd, encoder)))
  }

  #encode(encoder: Encoder, frame: Frame): void {
    const isAmid = this.#hasEncoded ? this.#begin(encoder, frame.pts) : this.#options.segment?.from !== undefined
    this.#hasEncoded = true
    if (!isAmid) return encoder.encode(frame)
    encoder.encodeBehindCopies(frame, { copies: COPIES_BEFORE, step: this.#frameTicks(encoder.timeBase) })
  }

  #begin(encoder: Encoder, time: bigint): boolean {
    const { stretches } = this.#options
    const cut = stretches?.cuts[this.#passed]
    if (cut === undefined || time < this.#inCoding(cut, encoder)) return false
    this.#passed += 1
    const groups = groupsOf(existing(stretches?.groupFrames[this.#passed], 'stretch'))
    if (!encoder.restart(groups)) throw new PlanMismatchError('stretches have different encoder headers')
    return true
  }

  /** Returns whether a frame is in the segment. The deinterlacing filter also reads frames outside the segment. */
  #isWithin(time: bigint, encoder: Encoder): boolean {
    const from = this.#inCoding(this.#window.from, encoder)
    const until = this.#inCoding(this.#window.until, encoder)
    return (from === undefined || time >= from) && (until === undefined || time < until)
  }

  #inCoding<T extends bigint | undefined>(time: T, { timeBase }: Encoder): T | bigint {
    return time === undefined ? time : avRescaleQ(time, this.#options.media.video.timeBase, timeBase)
  }
}

const isSame = (a: FrameShape, b: FrameShape) =>
  (Object.keys(a) as (keyof FrameShape)[]).every((key) => a[key] === b[key])
