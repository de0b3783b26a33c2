import { AV_CODEC_FLAG_GLOBAL_HEADER, AVERROR_EAGAIN, AVERROR_EOF } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { Codec, CodecContext, Dictionary, Packet } from 'node-av/lib'
import { check, existing } from './libav.ts'
import type { Mp4Writer, Track } from './mp4-writer.ts'

/** One encoder and the track that its packets go to. */
export class Encoder implements Disposable {
  readonly timeBase: { num: number; den: number }
  readonly #context: CodecContext
  readonly #track: Track
  readonly #packet = new Packet()

  private constructor(context: CodecContext, track: Track) {
    this.#context = context
    this.#track = track
    this.timeBase = { num: context.timeBase.num, den: context.timeBase.den }
    this.#packet.alloc()
  }

  /** Opens an encoder by libav's name; `set` describes the frames that will come. */
  static async open(
    name: 'libx264' | 'aac',
    options: Record<string, string | number>,
    set: (context: CodecContext) => void,
    output: { writer: Mp4Writer; track: string },
  ): Promise<Encoder> {
    const codec = existing(Codec.findEncoderByName(name), name)
    const context = new CodecContext()
    context.allocContext3(codec)
    set(context)
    context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
    check(await context.open2(codec, Dictionary.fromObject(options)), `open ${name}`)
    const track = output.writer.addTrack(output.track, (stream) => {
      check(context.parametersFromContext(stream.codecpar), 'describe the track')
      stream.timeBase = context.timeBase
      stream.avgFrameRate = context.framerate
    })
    return new Encoder(context, track)
  }

  /** Takes a frame with its time in `timeBase`, or `null` for the end. */
  encode(frame: Frame | null): void {
    check(this.#context.sendFrameSync(frame), 'encode a frame')
    for (;;) {
      const received = this.#context.receivePacketSync(this.#packet)
      if (received === AVERROR_EAGAIN || received === AVERROR_EOF) return
      check(received, 'take a packet')
      this.#track.write(this.#packet, this.timeBase)
      this.#packet.unref()
    }
  }

  [Symbol.dispose](): void {
    this.#packet.free()
    this.#context.freeContext()
  }
}
