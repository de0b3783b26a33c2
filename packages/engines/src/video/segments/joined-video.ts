import type { SegmentsPlan } from '@mediamill/media/plan/video-segments'
import { AV_PKT_DATA_CPB_PROPERTIES, AVERROR_EOF } from 'node-av/constants'
import type { IRational, Packet } from 'node-av/lib'
import { avRescaleQ } from 'node-av/lib'
import type { EngineFile } from '../../protocol/messages.ts'
import { DecodingOrder, setLastDuration } from '../libav/decoding-order.ts'
import { check, existing, newPacket } from '../libav/libav.ts'
import type { Media } from '../libav/media.ts'
import { openMedia, readPacket } from '../libav/media.ts'
import type { Mp4Writer, Track } from '../libav/mp4-writer.ts'
import { decodingSteps } from '../tracks/h264.ts'
import { PlanMismatchError } from '../tracks/segment-window.ts'
import type { InterleavedAudio } from './interleaved-audio.ts'
import type { SegmentMetadata } from './segment-metadata.ts'

type AddOptions = {
  onTime: (seconds: number) => void
  interleavedAudio: InterleavedAudio | undefined
}

export class JoinedVideo {
  readonly #writer: Mp4Writer
  readonly #plan: SegmentsPlan
  #held: Packet | undefined
  #opened: { track: Track; timeBase: IRational; header: Buffer; order: DecodingOrder<Packet> } | undefined
  #last: SegmentMetadata | undefined
  #start: bigint | undefined
  #firstDts: bigint | undefined

  constructor(writer: Mp4Writer, plan: SegmentsPlan) {
    this.#writer = writer
    this.#plan = plan
  }

  async add(file: EngineFile, metadata: SegmentMetadata, { onTime, interleavedAudio }: AddOptions): Promise<void> {
    if (this.#last !== undefined && this.#last.end !== metadata.start)
      throw new PlanMismatchError('a segment does not start where the previous segment ended')
    this.#last = metadata
    await using media = await openMedia(file)
    const { timeBase, order } = this.#open(media)
    const audioOf = interleavedAudio?.add(media, metadata)
    const ticks = (time: number) => avRescaleQ(BigInt(time), this.#plan.encoder.time_base, timeBase)
    const [start, last, end] = [ticks(metadata.start), ticks(metadata.last), ticks(metadata.reached)]
    this.#start ??= start
    let reached = Number.NEGATIVE_INFINITY
    using packet = newPacket()
    for (;;) {
      const read = await readPacket(media, packet)
      if (read === AVERROR_EOF) return
      check(read, 'read a segment')
      if (packet.streamIndex !== media.video.index) {
        audioOf?.(packet)
        packet.unref()
        continue
      }
      packet.pts += start
      // Files store only the intervals between decoding times, so the durations of the last packets may be wrong.
      if (packet.pts === last || packet.pts + packet.duration > end) packet.duration = end - packet.pts
      const next = order.put(existing(packet.clone(), 'packet'))
      packet.unref()
      if (next === undefined) continue
      this.#keep(next)
      const seconds = (Number(next.dts) * timeBase.num) / timeBase.den
      // Runs about ten times per second of video, to interleave audio.
      if (seconds - reached < 0.1) continue
      reached = seconds
      onTime(seconds)
    }
  }

  finish(): void {
    if (this.#opened === undefined || this.#last === undefined) return
    const { timeBase, order } = this.#opened
    for (const packet of order.end()) this.#keep(packet)
    if (this.#held === undefined) return
    const { end, reached, last_duration: lastDuration } = this.#last
    const ticks = (time: number) => avRescaleQ(BigInt(time), this.#plan.encoder.time_base, timeBase)
    const { start = 0n, firstDts = start } = { start: this.#start, firstDts: this.#firstDts }
    this.#held.duration = ticks(lastDuration)
    setLastDuration(this.#held, { start, end: ticks(reached), firstDts }, ticks(end))
    this.#writeHeld()
  }

  #open({ video }: Media): { timeBase: IRational; order: DecodingOrder<Packet> } {
    const header = existing(video.codecpar.extradata, 'header of a segment')
    const timeBase = { num: video.timeBase.num, den: video.timeBase.den }
    if (this.#opened !== undefined) {
      if (!this.#opened.header.equals(header)) throw new PlanMismatchError('segments have different encodings')
      if (this.#opened.timeBase.den !== timeBase.den) throw new PlanMismatchError('segments have different time bases')
      return this.#opened
    }
    const track = this.#writer.addTrack('video', (stream) => {
      check(video.codecpar.copy(stream.codecpar), 'copy the header')
      stream.codecpar.codecTag = 0
      // As in a video with constant quality, the track declares no bitrate and no limits (AVCPBProperties).
      stream.codecpar.bitRate = 0n
      check(stream.codecpar.addCodedSideData(AV_PKT_DATA_CPB_PROPERTIES, Buffer.alloc(40)), 'add the properties')
      stream.timeBase = this.#plan.encoder.time_base as typeof stream.timeBase
      stream.avgFrameRate = this.#plan.encoder.rate as typeof stream.avgFrameRate
    })
    const { rate, time_base: codingBase } = this.#plan.encoder
    const { tick, lead } = decodingSteps({ rate, timeBase: codingBase })
    const inFile = (ticks: bigint) => avRescaleQ(ticks, codingBase, timeBase)
    const order = new DecodingOrder<Packet>({ tick: inFile(tick), lead: inFile(lead) })
    this.#opened = { track, timeBase, header: Buffer.from(header), order }
    return this.#opened
  }

  #keep(packet: Packet): void {
    this.#writeHeld()
    this.#firstDts ??= packet.dts
    this.#held = packet
  }

  #writeHeld(): void {
    if (this.#held === undefined || this.#opened === undefined) return
    this.#opened.track.write(this.#held, this.#opened.timeBase)
    this.#held.free()
    this.#held = undefined
  }
}
