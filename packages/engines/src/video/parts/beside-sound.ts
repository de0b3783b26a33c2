import type { Packet } from 'node-av/lib'
import type { Media } from '../libav/media.ts'
import type { Mp4Writer, Track } from '../libav/mp4-writer.ts'
import { NotCut } from '../tracks/part-window.ts'
import { addSoundTrack } from './joined-sound.ts'
import type { PartFacts } from './part-facts.ts'

/** Copies the sound that parts have beside their pictures into one track. */
export class BesideSound {
  readonly #writer: Mp4Writer
  #opened: { track: Track; timeBase: { num: number; den: number } } | undefined
  /** The packet of the source that comes next; `null` behind the last one. */
  #next: number | null | undefined

  constructor(writer: Mp4Writer) {
    this.#writer = writer
  }

  /** Throws `NotCut` where no part had any. The result was to have a track of it. */
  finish(): void {
    if (this.#opened === undefined) throw new NotCut('no part has sound')
  }

  /** Begins a part; returns what takes its packets. Throws `NotCut` where it does not go on with the last one's next. */
  add({ audio }: Media, { sound }: PartFacts): ((packet: Packet) => void) | undefined {
    if (sound === undefined) throw new NotCut('a part without its sound')
    const begins = sound.first ?? sound.next
    if (this.#next !== undefined && this.#next !== begins) throw new NotCut('the sound of parts does not go on')
    this.#next = sound.next
    if (audio === undefined) return undefined
    const timeBase = { num: audio.timeBase.num, den: audio.timeBase.den }
    this.#opened ??= { track: addSoundTrack(this.#writer, audio), timeBase }
    const { track, timeBase: units } = this.#opened
    if (units.den !== timeBase.den) throw new NotCut('the sound of parts counts its times differently')
    const start = BigInt(sound.start)
    return (packet) => {
      packet.pts += start
      packet.dts += start
      track.write(packet, timeBase)
    }
  }
}
