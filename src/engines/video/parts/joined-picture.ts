import { AVERROR_EAGAIN, AVERROR_EOF } from 'node-av/constants'
import { avRescaleQ, Packet } from 'node-av/lib'
import type { PartsPlan } from '../../../media/plan/video-parts.ts'
import type { EngineFile } from '../../protocol/messages.ts'
import { DecodingOrder } from '../libav/decoding-order.ts'
import { placeLast } from '../libav/last-packet.ts'
import { check, existing } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { openMedia } from '../libav/media.ts'
import type { Mp4Writer, Track } from '../libav/mp4-writer.ts'
import { frameTicks } from '../tracks/h264.ts'
import { NotCut } from '../tracks/part-window.ts'
import type { BesideSound } from './beside-sound.ts'
import type { PartFacts } from './part-facts.ts'

type Ratio = { num: number; den: number }

/** What goes on while the pictures of a part are copied. */
type Beside = {
  /** Called with the time that was reached. */
  onTime: (seconds: number) => void
  /** Takes the sound that the part has. */
  beside: BesideSound | undefined
}

/**
 * Copies the pictures of all parts into one track, as from one encoder.
 *
 * Every part begins with a keyframe that nothing refers across, and is coded by the same header.
 */
export class JoinedPicture {
  readonly #writer: Mp4Writer
  readonly #plan: PartsPlan
  /** The packet before, which waits for the next to come: the last one is placed apart. */
  #held: Packet | undefined
  #opened: { track: Track; timeBase: Ratio; header: Buffer; order: DecodingOrder } | undefined
  #last: PartFacts | undefined
  #start: bigint | undefined

  constructor(writer: Mp4Writer, plan: PartsPlan) {
    this.#writer = writer
    this.#plan = plan
  }

  /** Copies one part. Throws `NotCut` where it does not go on from the last. */
  async add(file: EngineFile, facts: PartFacts, { onTime, beside }: Beside): Promise<void> {
    if (this.#last !== undefined && this.#last.end !== facts.start)
      throw new NotCut('parts do not go on from one another')
    this.#last = facts
    await using media = await openMedia(file)
    const { track, timeBase, order } = this.#open(media)
    const soundOf = beside?.add(media, facts)
    const ticks = (time: number) => avRescaleQ(BigInt(time), this.#plan.encoder.time_base, timeBase)
    const [start, last, end] = [ticks(facts.start), ticks(facts.last), ticks(facts.reached)]
    this.#start ??= start
    let reached = Number.NEGATIVE_INFINITY
    using packet = new Packet()
    packet.alloc()
    for (;;) {
      const read = media.context.readFrameSync(packet)
      if (read === AVERROR_EAGAIN) continue
      if (read === AVERROR_EOF) return
      check(read, 'read a part')
      if (packet.streamIndex !== media.video.index) {
        soundOf?.(packet)
        packet.unref()
        continue
      }
      packet.pts += start
      // A file tells only the steps of decoding. What is shown last says when a track ends.
      if (packet.pts === last || packet.pts + packet.duration > end) packet.duration = end - packet.pts
      packet.dts = order.next(packet.pts, packet.dts + start)
      if (packet.dts > packet.pts) throw new NotCut('a packet is shown before it is decoded')
      const seconds = (Number(packet.dts) * timeBase.num) / timeBase.den
      this.#writeHeld(track, timeBase)
      this.#held = existing(packet.clone(), 'packet')
      packet.unref()
      // About ten times a second of video: sound goes in beside the pictures.
      if (seconds - reached < 0.1) continue
      reached = seconds
      onTime(seconds)
    }
  }

  /** Writes the last packet. */
  finish(): void {
    if (this.#opened === undefined || this.#last === undefined || this.#held === undefined) return
    const { track, timeBase, order } = this.#opened
    const { end, reached, last_duration: lastDuration } = this.#last
    const ticks = (time: number) => avRescaleQ(BigInt(time), this.#plan.encoder.time_base, timeBase)
    const { start = 0n, firstDts } = { start: this.#start, firstDts: order.first }
    this.#held.duration = ticks(lastDuration)
    placeLast(this.#held, { start, end: ticks(reached), firstDts }, ticks(end))
    this.#writeHeld(track, timeBase)
  }

  /** Adds the track for the first part; the others have to be coded alike. */
  #open({ video }: Media): { track: Track; timeBase: Ratio; order: DecodingOrder } {
    const header = existing(video.codecpar.extradata, 'header of a part')
    const timeBase = { num: video.timeBase.num, den: video.timeBase.den }
    if (this.#opened !== undefined) {
      if (!this.#opened.header.equals(header)) throw new NotCut('parts are coded differently')
      if (this.#opened.timeBase.den !== timeBase.den) throw new NotCut('parts count their times differently')
      return this.#opened
    }
    const track = this.#writer.addTrack('picture', (stream) => {
      check(video.codecpar.copy(stream.codecpar), 'copy the header')
      stream.codecpar.codecTag = 0
      // An encoder that holds a quality tells none.
      stream.codecpar.bitRate = 0n
      stream.timeBase = this.#plan.encoder.time_base as typeof stream.timeBase
      stream.avgFrameRate = this.#plan.encoder.rate as typeof stream.avgFrameRate
    })
    const { rate, time_base: codingBase } = this.#plan.encoder
    const inFile = (ticks: bigint) => avRescaleQ(ticks, codingBase, timeBase)
    const order = new DecodingOrder({ tick: inFile(1n), frame: inFile(frameTicks({ rate, timeBase: codingBase })) })
    this.#opened = { track, timeBase, header: Buffer.from(header), order }
    return this.#opened
  }

  #writeHeld(track: Track, timeBase: Ratio): void {
    if (this.#held === undefined) return
    track.write(this.#held, timeBase)
    this.#held.free()
    this.#held = undefined
  }
}
