import { AVERROR_EAGAIN, AVERROR_EOF } from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import type { EngineFile } from '../../protocol/messages.ts'
import { check, newPacket } from '../libav/libav.ts'
import { openAudio } from '../libav/media.ts'
import type { Mp4Writer, Track } from '../libav/mp4-writer.ts'
import type { SegmentMetadata } from './segment-metadata.ts'

type OpenedAudio = Awaited<ReturnType<typeof openAudio>>

export function addAudioTrack(writer: Mp4Writer, { codecpar, timeBase }: Stream): Track {
  return writer.addTrack('audio', (stream) => {
    check(codecpar.copy(stream.codecpar), 'copy the header')
    stream.codecpar.codecTag = 0
    stream.timeBase = timeBase
  })
}

/**
 * Shortens the last packet of a segment to the end of its track. For AC-3, libav returns a whole packet, even if the
 * file declares a shorter duration.
 */
export function shortenLast(packet: Packet, { duration }: Stream): void {
  if (packet.pts + packet.duration > duration) packet.duration = duration - packet.pts
}

export class JoinedAudio implements AsyncDisposable {
  readonly #opened: OpenedAudio
  readonly #timeBase: { num: number; den: number }
  readonly #track: Track
  readonly #start: bigint
  readonly #packet = newPacket()
  #reachedSeconds = Number.NEGATIVE_INFINITY
  #isAtEnd = false

  private constructor(opened: OpenedAudio, track: Track, start: bigint) {
    this.#opened = opened
    this.#timeBase = { num: opened.stream.timeBase.num, den: opened.stream.timeBase.den }
    this.#track = track
    this.#start = start
  }

  static async open(
    writer: Mp4Writer,
    file: EngineFile,
    { start }: Pick<SegmentMetadata, 'start'>,
  ): Promise<JoinedAudio> {
    const opened = await openAudio(file)
    return new JoinedAudio(opened, addAudioTrack(writer, opened.stream), BigInt(start))
  }

  copyUntil(seconds: number): void {
    const packet = this.#packet
    while (!this.#isAtEnd && this.#reachedSeconds < seconds) {
      const read = this.#opened.context.readFrameSync(packet)
      if (read === AVERROR_EAGAIN) continue
      this.#isAtEnd = read === AVERROR_EOF
      if (this.#isAtEnd) return
      check(read, 'read the audio')
      shortenLast(packet, this.#opened.stream)
      packet.pts += this.#start
      packet.dts += this.#start
      this.#reachedSeconds = (Number(packet.dts) * this.#timeBase.num) / this.#timeBase.den
      this.#track.write(packet, this.#timeBase)
      packet.unref()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#packet.free()
    await this.#opened[Symbol.asyncDispose]()
  }
}
