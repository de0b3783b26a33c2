import {
  AV_CODEC_FLAG_FRAME_DURATION,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PICTURE_TYPE_I,
  AVERROR_EAGAIN,
  AVERROR_EOF,
} from 'node-av/constants'
import type { Codec, Frame, Packet } from 'node-av/lib'
import { CodecContext } from 'node-av/lib'
import type { DecodingOrder, Span } from './decoding-order.ts'
import { setLastDuration } from './decoding-order.ts'
import { check, existing, newPacket } from './libav.ts'
import type { Mp4Writer, Track } from './mp4-writer.ts'

export type Encoded = Span & { frameEnd: bigint; lastDuration: bigint }

type Options = Record<string, string | number>

/** Where to write packets. `order` assigns decoding times across several encodings. Audio needs no `order`. */
type Output = { writer: Mp4Writer; track: string; order?: DecodingOrder<Packet> }

export class Encoder implements Disposable {
  readonly timeBase: { num: number; den: number }
  readonly #open: (differing?: Options) => CodecContext
  #context: CodecContext
  readonly #track: Track
  readonly #order: DecodingOrder<Packet> | undefined
  readonly #packet = newPacket()
  /** The last packet. Its times may change until the next packet arrives. */
  #held: Packet | undefined
  #span: Span | undefined
  #from: bigint | undefined

  private constructor(open: (differing?: Options) => CodecContext, { writer, track, order }: Output, context = open()) {
    this.#open = open
    this.#context = context
    this.#order = order
    this.#track = writer.addTrack(track, (stream) => {
      check(context.parametersFromContext(stream.codecpar), 'describe the track')
      stream.timeBase = context.timeBase
      stream.avgFrameRate = context.framerate
    })
    this.timeBase = { num: context.timeBase.num, den: context.timeBase.den }
  }

  /** Opens an encoder. Sets options one by one, because node-av's `open2Sync` frees an options dictionary twice. */
  static open(codec: Codec, options: Options, set: (context: CodecContext) => void, output: Output): Encoder {
    const open = (differing: Options = {}) => {
      const context = new CodecContext()
      context.allocContext3(codec)
      set(context)
      context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER, AV_CODEC_FLAG_FRAME_DURATION)
      for (const [name, value] of Object.entries({ ...options, ...differing }))
        check(context.setOption(name, String(value)), `set ${name}`)
      check(context.open2Sync(codec, null), `open ${codec.name}`)
      return context
    }
    return new Encoder(open, output)
  }

  encode(frame: Frame): void {
    this.#encode(frame)
  }

  /**
   * Encodes a keyframe after copies of the frame, which are discarded. libx264 derives the quality of a keyframe from
   * earlier frames.
   */
  encodeBehindCopies(frame: Frame, { copies, step }: { copies: number; step: bigint }): void {
    const time = frame.pts
    this.#from = time
    for (let left = copies; left > 0; left -= 1) {
      frame.pts = time - BigInt(left) * step
      this.#encode(frame)
    }
    frame.pts = time
    frame.pictType = AV_PICTURE_TYPE_I
    this.#encode(frame)
  }

  /** Ends a stretch and starts the next. Returns whether both stretches have the same header. */
  restart(differing: Options): boolean {
    this.#encode(null)
    const header = Buffer.from(this.#context.extraData ?? [])
    this.#context.freeContext()
    this.#context = this.#open(differing)
    return header.equals(this.#context.extraData ?? Buffer.alloc(0))
  }

  /** Writes the last packets. The last frame ends at `end`, or after its own duration. */
  finish(end?: bigint): Encoded | undefined {
    this.#encode(null)
    for (const packet of this.#order?.end() ?? []) this.#keep(packet)
    if (this.#span === undefined || this.#held === undefined) return undefined
    const lastDuration = this.#held.duration
    setLastDuration(this.#held, this.#span, end)
    this.#write()
    return { ...this.#span, frameEnd: end ?? this.#span.end, lastDuration }
  }

  #encode(frame: Frame | null): void {
    check(this.#context.sendFrameSync(frame), 'encode a frame')
    for (;;) {
      const received = this.#context.receivePacketSync(this.#packet)
      if (received === AVERROR_EAGAIN || received === AVERROR_EOF) break
      check(received, 'receive a packet')
      // No kept frame refers to the discarded copies, because every group of frames is closed.
      if (this.#from !== undefined && this.#packet.pts < this.#from) {
        this.#packet.unref()
        continue
      }
      const packet = existing(this.#packet.clone(), 'packet')
      this.#packet.unref()
      this.#keep(this.#order === undefined ? packet : this.#order.put(packet))
    }
  }

  #keep(packet: Packet | undefined): void {
    if (packet === undefined) return
    this.#write()
    this.#held = packet
    const { pts, dts, duration } = packet
    this.#span ??= { start: pts, last: pts, firstDts: dts, end: pts }
    if (pts < this.#span.start) this.#span.start = pts
    if (pts > this.#span.last) this.#span.last = pts
    if (pts + duration > this.#span.end) this.#span.end = pts + duration
  }

  [Symbol.dispose](): void {
    this.#packet.free()
    this.#held?.free()
    for (const packet of this.#order?.end() ?? []) packet.free()
    this.#context.freeContext()
  }

  #write(): void {
    if (this.#held === undefined) return
    this.#track.write(this.#held, this.timeBase)
    this.#held.free()
    this.#held = undefined
  }
}
