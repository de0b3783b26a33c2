import { AV_PKT_DATA_ENCRYPTION_INFO, AVERROR_EAGAIN, AVERROR_EOF } from 'node-av/constants'
import type { Frame, Packet, Stream } from 'node-av/lib'
import { avGetCodecName, Codec, CodecContext, Dictionary } from 'node-av/lib'
import { cleanColors } from './clean-colors.ts'
import { isAllowedDecoder } from './codecs.ts'
import { damaged, encrypted, unsupportedCodec } from './failures.ts'
import { check, LibavError } from './libav.ts'

const MAX_FAILURES = 1000

type DecoderOptions = { threads: number; maxPixels: number }

/**
 * Decodes a track. Continues after damaged packets, as players do. Opens asynchronously: `open2Sync` frees the options
 * twice.
 */
export class Decoder implements Disposable {
  failures = 0
  frames = 0
  readonly #context: CodecContext
  #isChecked = false
  #leavesOut = false

  private constructor(context: CodecContext) {
    this.#context = context
  }

  /** Opens the decoder of a track. Throws `RequestFailure` if the codec is not allowed or the header is invalid. */
  static async open(
    track: 'video' | 'audio',
    stream: Stream,
    { threads, maxPixels }: DecoderOptions,
  ): Promise<Decoder> {
    const { codecpar } = stream
    const codec = Codec.findDecoder(codecpar.codecId)
    if (codec === null || !isAllowedDecoder(codec.name ?? '')) {
      throw unsupportedCodec(track, avGetCodecName(codecpar.codecId) ?? 'unknown')
    }
    const context = new CodecContext()
    context.allocContext3(codec)
    const decoder = new Decoder(context)
    try {
      check(context.parametersToContext(codecpar), 'read the header')
      context.pktTimebase = stream.timeBase
      const options = Dictionary.fromObject({ threads, ...(track === 'video' && { max_pixels: maxPixels }) })
      check(await context.open2(codec, options), 'open the decoder')
      return decoder
    } catch (error) {
      decoder[Symbol.dispose]()
      throw error instanceof LibavError ? damaged(error) : error
    }
  }

  /** Decodes a packet, and calls `each` with each frame. The packet `null` means the end of the file. */
  decode(packet: Packet | null, frame: Frame, each: (frame: Frame) => void): void {
    // In Theora, an empty packet repeats a frame. The decoder would treat the packet as the end of the file.
    if (packet?.size === 0) return
    this.#checkLock(packet)
    const sent = this.#context.sendPacketSync(packet)
    if (sent < 0 && sent !== AVERROR_EOF) this.failures += 1
    for (;;) {
      const received = this.#context.receiveFrameSync(frame)
      if (received === AVERROR_EAGAIN || received === AVERROR_EOF) return
      if (received < 0) {
        this.failures += 1
        // Intact frames may follow an error at the end. The limit stops endless errors.
        if (packet === null && this.failures <= MAX_FAILURES) continue
        return
      }
      this.frames += 1
      cleanColors(frame)
      each(frame)
      frame.unref()
    }
  }

  /** Throws if the track is encrypted. For an encrypted packet, the decoder may return noise instead of an error. */
  #checkLock(packet: Packet | null): void {
    if (this.#isChecked || packet === null) return
    this.#isChecked = true
    if (packet.getSideData(AV_PKT_DATA_ENCRYPTION_INFO) !== null) throw encrypted()
  }

  leaveOut(unreferred: boolean): void {
    if (this.#leavesOut === unreferred) return
    check(this.#context.setOption('skip_frame', unreferred ? 'noref' : 'default'), 'skip frames')
    this.#leavesOut = unreferred
  }

  flush(): void {
    this.#context.flushBuffers()
  }

  [Symbol.dispose](): void {
    this.#context.freeContext()
  }
}
