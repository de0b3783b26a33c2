import { AV_NOPTS_VALUE } from 'node-av/constants'
import type { IRational, Packet, Stream } from 'node-av/lib'
import { avRescaleQ } from 'node-av/lib'
import { MICROSECONDS } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'
import { CopiedTrack, NotCopiedError } from '../tracks/copied-track.ts'
import type { SegmentBounds } from '../tracks/segment-window.ts'
import type { SegmentMetadata } from './segment-metadata.ts'

type Options = {
  media: Media
  writer: Mp4Writer
  maxSeconds: number | undefined
  bounds: SegmentBounds
}

export class SegmentAudio {
  readonly stream: Stream
  readonly #options: Options
  readonly #track: CopiedTrack
  readonly #start: bigint
  #first: bigint | undefined
  #next: bigint | undefined

  constructor(stream: Stream, options: Options) {
    const { media, writer, maxSeconds } = options
    this.stream = stream
    this.#options = options
    this.#track = new CopiedTrack(stream, media.startUs, { writer, track: 'audio', maxSeconds })
    this.#start = avRescaleQ(media.startUs, MICROSECONDS, stream.timeBase)
  }

  get isComplete(): boolean {
    return this.#next !== undefined || this.#track.isComplete
  }

  put(packet: Packet): void {
    const { from, until } = this.#options.bounds
    const { pts, dts } = packet
    if (pts === AV_NOPTS_VALUE || dts === AV_NOPTS_VALUE) throw new NotCopiedError('a packet has no timestamp')
    if (this.isComplete || (from !== undefined && this.#isBefore(pts, from))) return
    if (until !== undefined && !this.#isBefore(pts, until)) {
      this.#next = dts
      return
    }
    this.#track.write(packet)
    if (this.#track.isComplete) this.#next = dts
    else this.#first ??= dts
  }

  get metadata(): NonNullable<SegmentMetadata['sound']> {
    const numberOf = (time: bigint | undefined) => (time === undefined ? null : Number(time))
    const start = this.#options.writer.startOf('audio') ?? 0n
    return { start: Number(start), first: numberOf(this.#first), next: numberOf(this.#next) }
  }

  /** Returns whether audio is before a cut. Compares integers, so that adjacent segments agree about each packet. */
  #isBefore(pts: bigint, cut: bigint): boolean {
    const audioTimeBase: IRational = this.stream.timeBase
    const videoTimeBase: IRational = this.#options.media.video.timeBase
    return (
      (pts - this.#start) * BigInt(audioTimeBase.num) * BigInt(videoTimeBase.den) <
      cut * BigInt(videoTimeBase.num) * BigInt(audioTimeBase.den)
    )
  }
}
