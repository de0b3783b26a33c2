import { constants } from 'node:os'
import type { IRational, Packet, Stream } from 'node-av/lib'
import { Dictionary, FormatContext } from 'node-av/lib'
import type { EngineLimits } from '../../protocol/messages.ts'
import { resultTooLarge } from '../../protocol/result-file.ts'
import { SHORTER } from './failures.ts'
import { check, existing } from './libav.ts'

type WriterOptions = {
  limits: Pick<EngineLimits, 'maxResultBytes'>
  isPart?: boolean
}

/** The error of a write that exceeds the file size limit of the process, which is the limit of a result. */
const TOO_LARGE = -constants.errno.EFBIG

export type Track = {
  /** Writes a packet. Times are in `timeBase`. The caller may reuse the packet. */
  write(packet: Packet, timeBase: IRational): void
}

/**
 * Writes an MP4. Except in a segment, the index is at the start, so that players can start before the download ends.
 */
export class Mp4Writer implements AsyncDisposable {
  readonly #context = new FormatContext()
  readonly #missing = new Map<string, Stream>()
  readonly #limits: WriterOptions['limits']
  readonly #isPart: boolean
  readonly #streams = new Map<string, Stream>()
  readonly #starts = new Map<Stream, bigint>()
  #waiting: { stream: Stream; packet: Packet; timeBase: IRational }[] = []
  #isOpen = false

  constructor(path: string, tracks: readonly string[], { limits, isPart = false }: WriterOptions) {
    this.#limits = limits
    this.#isPart = isPart
    check(this.#context.allocOutputContext2(null, 'mp4', path), 'create the output')
    // Adding all tracks now fixes their order.
    for (const track of tracks) this.#missing.set(track, existing(this.#context.newStream(), 'stream'))
  }

  get bytes(): number {
    return this.#isOpen ? Number(this.#context.pb?.pos ?? 0n) : 0
  }

  addTrack(name: string, fill: (stream: Stream) => void): Track {
    const stream = this.#missing.get(name)
    if (stream === undefined) throw new RangeError(`the track ${name} was added before, or is not planned`)
    fill(stream)
    this.#missing.delete(name)
    if (this.#missing.size === 0) this.#open()
    this.#streams.set(name, stream)
    return { write: (packet, timeBase) => this.#write(stream, packet, timeBase) }
  }

  /** Returns the time of a track's first packet, in ticks of the file. */
  startOf(name: string): bigint | undefined {
    const stream = this.#streams.get(name)
    return stream && this.#starts.get(stream)
  }

  async finish(): Promise<void> {
    if (!this.#isOpen) throw new Error('a planned track was not added')
    this.#checkWrite(await this.#context.writeTrailer(), 'write the index')
    await this.#close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { packet } of this.#waiting) packet.free()
    await this.#close()
    this.#context.freeContext()
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#context.closeOutput()
  }

  #open(): void {
    check(this.#context.openOutputSync(), 'open the output')
    this.#isOpen = true
    const options = this.#isPart ? null : Dictionary.fromObject({ movflags: '+faststart' })
    check(this.#context.writeHeaderSync(options), 'write the header')
    const waiting = this.#waiting
    this.#waiting = []
    for (const { stream, packet, timeBase } of waiting) {
      this.#write(stream, packet, timeBase)
      packet.free()
    }
  }

  #write(stream: Stream, packet: Packet, timeBase: IRational): void {
    if (!this.#isOpen) {
      this.#waiting.push({ stream, packet: existing(packet.clone(), 'packet'), timeBase })
      return
    }
    packet.streamIndex = stream.index
    // The muxer sets the final time base of the track when it writes the header.
    packet.rescaleTs(timeBase, stream.timeBase)
    const start = this.#starts.get(stream) ?? packet.pts
    this.#starts.set(stream, start)
    if (this.#isPart) {
      packet.pts -= start
      packet.dts -= start
    }
    this.#checkWrite(this.#context.interleavedWriteFrameSync(packet), 'write a packet')
  }

  #checkWrite(result: number, action: string): void {
    if (result === TOO_LARGE) throw resultTooLarge(this.#limits, SHORTER)
    check(result, action)
  }
}
