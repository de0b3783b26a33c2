import type { Packet } from 'node-av/lib'
import type { Media } from '../libav/media.ts'
import type { Mp4Writer, Track } from '../libav/mp4-writer.ts'
import { PlanMismatchError } from '../tracks/segment-window.ts'
import { addAudioTrack, shortenLast } from './joined-audio.ts'
import type { SegmentMetadata } from './segment-metadata.ts'

export class InterleavedAudio {
  readonly #writer: Mp4Writer
  #opened: { track: Track; timeBase: { num: number; den: number } } | undefined
  /** The decoding time at which the next segment must start. `null`: the audio ended. `undefined`: no segment yet. */
  #next: number | null | undefined

  constructor(writer: Mp4Writer) {
    this.#writer = writer
  }

  finish(): void {
    if (this.#opened === undefined) throw new PlanMismatchError('no segment has audio')
  }

  add({ audio }: Media, { sound }: SegmentMetadata): ((packet: Packet) => void) | undefined {
    if (sound === undefined) throw new PlanMismatchError('a segment has no audio')
    const begins = sound.first ?? sound.next
    if (this.#next !== undefined && this.#next !== begins)
      throw new PlanMismatchError('the audio of a segment does not start where the previous audio ended')
    this.#next = sound.next
    if (audio === undefined) return undefined
    const timeBase = { num: audio.timeBase.num, den: audio.timeBase.den }
    this.#opened ??= { track: addAudioTrack(this.#writer, audio), timeBase }
    const { track, timeBase: units } = this.#opened
    if (units.den !== timeBase.den) throw new PlanMismatchError('the audio of segments has different time bases')
    const start = BigInt(sound.start)
    return (packet) => {
      shortenLast(packet, audio)
      packet.pts += start
      packet.dts += start
      track.write(packet, timeBase)
    }
  }
}
