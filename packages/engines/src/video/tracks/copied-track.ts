import { AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import { avRescaleQ } from 'node-av/lib'
import { check, MICROSECONDS } from '../libav/libav.ts'
import type { Mp4Writer, Track } from '../libav/mp4-writer.ts'

/** Tells that a track's packets cannot stand in an MP4 as they are. They have to be encoded anew. */
export class NotCopied extends Error {
  override name = 'NotCopied'
}

/** Copies a stream's packets as they are. Their times are counted from the start of playing. */
export class CopiedTrack {
  readonly #stream: Stream
  readonly #track: Track
  readonly #start: bigint
  #last: bigint | undefined
  readonly #end: bigint | undefined
  /** Whether a packet at or past the wished end came. */
  isComplete = false

  constructor(
    stream: Stream,
    startUs: bigint,
    output: { writer: Mp4Writer; track: string; maxSeconds?: number | undefined },
  ) {
    const { maxSeconds } = output
    this.#stream = stream
    if (maxSeconds !== undefined) {
      this.#end = avRescaleQ(BigInt(maxSeconds) * 1_000_000n, MICROSECONDS, stream.timeBase)
    }
    this.#start = avRescaleQ(startUs, MICROSECONDS, stream.timeBase)
    this.#track = output.writer.addTrack(output.track, (made) => {
      check(stream.codecpar.copy(made.codecpar), 'copy the header')
      // The source's container may number its codings differently.
      made.codecpar.codecTag = 0
      made.timeBase = stream.timeBase
      made.avgFrameRate = stream.avgFrameRate
    })
  }

  /** Throws `NotCopied` for a packet whose times an MP4 cannot tell, or that a player would have to skip. */
  write(packet: Packet): void {
    const { pts, dts } = packet
    if (pts === AV_NOPTS_VALUE || dts === AV_NOPTS_VALUE) throw new NotCopied('a packet without a time')
    if (packet.hasFlags(AV_PKT_FLAG_DISCARD)) {
      if (this.#stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO) throw new NotCopied('a packet that is not shown')
      // Sound before the start gets the decoder going and is cut again by the result's header; after the end it is not wanted.
      if (pts >= this.#start) return
    }
    if (this.#last !== undefined && dts <= this.#last) throw new NotCopied('a packet that comes too late')
    this.#last = dts
    packet.pts = pts - this.#start
    if (this.#end !== undefined && packet.pts >= this.#end) {
      this.isComplete = true
      return
    }
    packet.dts = dts - this.#start
    // The last packet's samples reach past the end; players stop where its duration says.
    if (this.#end !== undefined && packet.pts + packet.duration > this.#end) packet.duration = this.#end - packet.pts
    this.#track.write(packet, this.#stream.timeBase)
  }
}
