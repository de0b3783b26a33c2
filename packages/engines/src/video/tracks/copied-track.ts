import { AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import { avRescaleQ } from 'node-av/lib'
import { check, MICROSECONDS } from '../libav/libav.ts'
import type { Mp4Writer, Track } from '../libav/mp4-writer.ts'

/** An MP4 cannot store the packets of a track, so the track must be encoded. */
export class NotCopiedError extends Error {
  override name = 'NotCopiedError'
}

export class CopiedTrack {
  readonly #stream: Stream
  readonly #track: Track
  readonly #start: bigint
  #last: bigint | undefined
  readonly #end: bigint | undefined
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
      // The source's container may use other codec tags than MP4.
      made.codecpar.codecTag = 0
      made.timeBase = stream.timeBase
      made.avgFrameRate = stream.avgFrameRate
    })
  }

  /**
   * Copies a packet. Throws `NotCopiedError` if an MP4 cannot store the packet's times, or players must skip the
   * packet.
   */
  write(packet: Packet): void {
    const { pts, dts } = packet
    if (pts === AV_NOPTS_VALUE || dts === AV_NOPTS_VALUE) throw new NotCopiedError('a packet has no timestamp')
    if (packet.hasFlags(AV_PKT_FLAG_DISCARD)) {
      if (this.#stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO)
        throw new NotCopiedError('players must skip a packet of the video')
      // Before the start, audio that players must discard is encoder delay: the header of the result makes players skip
      // it.
      if (pts >= this.#start) return
    }
    if (this.#last !== undefined && dts <= this.#last)
      throw new NotCopiedError('a packet does not have a later decoding time than the previous packet')
    this.#last = dts
    packet.pts = pts - this.#start
    if (this.#end !== undefined && packet.pts >= this.#end) {
      this.isComplete = true
      return
    }
    packet.dts = dts - this.#start
    // The last packet contains samples after the end. A shorter duration makes players stop at the end.
    if (this.#end !== undefined && packet.pts + packet.duration > this.#end) packet.duration = this.#end - packet.pts
    this.#track.write(packet, this.#stream.timeBase)
  }
}
