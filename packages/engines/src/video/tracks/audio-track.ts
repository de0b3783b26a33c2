import { AV_NOPTS_VALUE, AV_SAMPLE_FMT_FLTP, FF_ENCODER_AAC } from 'node-av/constants'
import type { CodecContext, FilterGraph, Frame, Stream } from 'node-av/lib'
import {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  avGetSampleFmtName,
  avRescaleQ,
  Codec,
  Filter,
} from 'node-av/lib'
import { Encoder } from '../libav/encoder.ts'
import { filterText } from '../libav/filter-text.ts'
import type { Graph } from '../libav/graph.ts'
import { buildGraph } from '../libav/graph.ts'
import { check, existing, MICROSECONDS, newFrame } from '../libav/libav.ts'
import type { Mp4Writer } from '../libav/mp4-writer.ts'
import { FrameClock } from './timeline.ts'

// The sample rates of AAC (ISO 14496-3, table 1.18), and the numbers of channels that every player supports.
const SAMPLE_RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const CHANNELS = [1, 2, 6, 8]
const BITS_A_CHANNEL = 64_000
const SAMPLES_A_FRAME = 1024

/** The sample rate and channels of the source, or the next higher that AAC supports. */
function audioOf({ codecpar }: Stream): { sampleRate: number; channels: number } {
  const sampleRate = SAMPLE_RATES.find((rate) => rate >= codecpar.sampleRate) ?? 48_000
  return { sampleRate, channels: CHANNELS.find((channels) => channels >= codecpar.channels) ?? 2 }
}

export class AudioTrack implements Disposable {
  /** Whether audio at or after the requested end has arrived. */
  isComplete = false
  readonly #stream: Stream
  readonly #start: bigint
  readonly #maxSeconds: number | undefined
  readonly #audio: { sampleRate: number; channels: number }
  readonly #encoder: Encoder
  readonly #even = newFrame()
  readonly #framed = newFrame()
  readonly #clock = new FrameClock()
  /** Cuts audio into the frames of the encoder. Stays the same when `#leveling` is built again. */
  readonly #framing: Graph
  #leveling: Graph | undefined
  #shape = ''

  constructor(options: { stream: Stream; startUs: bigint; maxSeconds: number | undefined; writer: Mp4Writer }) {
    const { stream, maxSeconds, writer } = options
    this.#stream = stream
    this.#start = avRescaleQ(options.startUs, MICROSECONDS, stream.timeBase)
    this.#maxSeconds = maxSeconds
    this.#audio = audioOf(stream)
    const { sampleRate, channels } = this.#audio
    const layout = avChannelLayoutDefault(channels)
    this.#encoder = Encoder.open(
      existing(Codec.findEncoderByName(FF_ENCODER_AAC), 'aac'),
      {},
      (context: CodecContext) => {
        context.sampleRate = sampleRate
        context.sampleFormat = AV_SAMPLE_FMT_FLTP
        context.channelLayout = layout
        context.bitRate = BigInt(BITS_A_CHANNEL * channels)
        context.timeBase = { num: 1, den: sampleRate } as CodecContext['timeBase']
      },
      { writer, track: 'audio' },
    )
    const shape = `sample_rate=${sampleRate}:sample_fmt=fltp:channel_layout=${describeLayout(layout)}`
    this.#framing = audioGraph([{ name: 'asetnsamples', args: { n: SAMPLES_A_FRAME, p: 0 } }], shape, sampleRate)
  }

  put(frame: Frame): void {
    const { timeBase } = this.#stream
    const pts = frame.pts === AV_NOPTS_VALUE ? frame.bestEffortTimestamp : frame.pts
    if (pts === AV_NOPTS_VALUE && this.#shape === '') return
    const seconds = (Number(pts - this.#start) * timeBase.num) / timeBase.den
    if (pts !== AV_NOPTS_VALUE && this.#maxSeconds !== undefined && seconds >= this.#maxSeconds) {
      this.isComplete = true
      return
    }
    this.#followShape(frame)
    frame.pts =
      pts === AV_NOPTS_VALUE ? pts : avRescaleQ(pts - this.#start, timeBase, { num: 1, den: frame.sampleRate })
    this.#leveling?.put(frame)
    this.#level()
  }

  finish(): void {
    this.#flushLeveling()
    this.#framing.put(null)
    this.#encode()
    this.#encoder.finish()
  }

  [Symbol.dispose](): void {
    this.#leveling?.[Symbol.dispose]()
    this.#framing[Symbol.dispose]()
    this.#encoder[Symbol.dispose]()
    this.#even.free()
    this.#framed.free()
  }

  #followShape(frame: Frame): void {
    // A track without a channel layout gets the default layout for its number of channels.
    const layout = describeLayout(frame.channelLayout) || describeLayout(avChannelLayoutDefault(frame.channels))
    const format = avGetSampleFmtName(frame.format as Parameters<typeof avGetSampleFmtName>[0]) ?? ''
    const shape = `sample_rate=${frame.sampleRate}:sample_fmt=${format}:channel_layout=${layout}`
    if (shape === this.#shape) return
    this.#flushLeveling()
    this.#shape = shape
    const { sampleRate, channels } = this.#audio
    const wanted = describeLayout(avChannelLayoutDefault(channels))
    const links = [
      // Fills gaps with silence, and drops overlaps, so that audio and video stay in sync.
      { name: 'aresample', args: { async: 1, sample_rate: sampleRate } },
      { name: 'aformat', args: { sample_fmts: 'fltp', channel_layouts: wanted, sample_rates: sampleRate } },
      { name: 'atrim', args: { start: 0, ...(this.#maxSeconds !== undefined && { end: this.#maxSeconds }) } },
    ]
    this.#leveling = audioGraph(links, shape, frame.sampleRate)
  }

  #flushLeveling(): void {
    this.#leveling?.put(null)
    this.#level()
    this.#leveling?.[Symbol.dispose]()
    this.#leveling = undefined
  }

  #level(): void {
    const { sampleRate } = this.#audio
    while (this.#leveling?.take(this.#even) === true) {
      const { timeBase } = this.#leveling
      this.#even.pts = avRescaleQ(this.#even.pts, timeBase, { num: 1, den: sampleRate })
      this.#framing.put(this.#even)
      this.#even.unref()
      this.#encode()
    }
  }

  #encode(): void {
    while (this.#framing.take(this.#framed)) {
      const frame = this.#framed
      const time = avRescaleQ(frame.pts, this.#framing.timeBase, this.#encoder.timeBase)
      const next = this.#clock.next(time, BigInt(frame.nbSamples))
      if (next !== undefined) {
        frame.pts = next
        this.#encoder.encode(frame)
      }
      frame.unref()
    }
  }
}

const describeLayout = (layout: Parameters<typeof avChannelLayoutDescribe>[0]) => {
  const text = avChannelLayoutDescribe(layout) ?? ''
  return /^[\w.()+-]+$/.test(text) && !/channels|ambisonic/.test(text) ? text : ''
}

function audioGraph(links: Parameters<typeof filterText>[0], shape: string, sampleRate: number): Graph {
  const open = (graph: FilterGraph) => {
    const source = existing(graph.allocFilter(existing(Filter.getByName('abuffer'), 'abuffer'), 'in'), 'abuffer')
    check(source.initStr(`time_base=1/${sampleRate}:${shape}`), 'describe the audio')
    return source
  }
  return buildGraph(filterText(links), {
    main: { name: 'in', open },
    stills: [],
    sink: 'abuffersink',
    threads: 1,
  })
}
