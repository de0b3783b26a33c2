import type { Link } from '@mediamill/engines/video/libav/filter-text'
import { filterText } from '@mediamill/engines/video/libav/filter-text'
import { buildGraph, frameSource } from '@mediamill/engines/video/libav/graph'
import { imageFrame } from '@mediamill/engines/video/libav/image-frame'
import { check, existing } from '@mediamill/engines/video/libav/libav'
import type { FFEncoderCodec } from 'node-av/constants'
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_CODEC_ID_SUBRIP,
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_SAMPLE_FMT_FLTP,
  AVCOL_SPC_SMPTE170M,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVMEDIA_TYPE_SUBTITLE,
} from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import {
  avChannelLayoutDefault,
  avGetPixFmtFromName,
  Codec,
  CodecContext,
  Dictionary,
  FormatContext,
  Frame,
  Packet,
} from 'node-av/lib'

export type Rgb = readonly [red: number, green: number, blue: number]

export type Paint = (x: number, y: number, index: number) => Rgb

export type ClipOptions = {
  container: 'mp4' | 'mov' | 'matroska' | 'webm' | 'avi' | 'flv' | 'mpeg' | 'mpegts' | 'mpeg1video'
  video?: string
  /** The libav encoder of each audio track. */
  sound?: string[]
  width?: number
  height?: number
  frames?: number
  rate?: number
  /** The time at which each frame starts, in milliseconds. If set, `frames` is ignored. */
  times?: number[]
  pixels?: string
  paint?: Paint
  /** Filters that run between painting and encoding a frame. */
  filters?: Link[]
  /** The first four numbers of the display matrix, which rotates or mirrors the video. */
  matrix?: readonly [a: number, b: number, c: number, d: number]
  pixelAspect?: { num: number; den: number }
  encoder?: Record<string, string>
  muxer?: Record<string, string>
  prepare?: (context: CodecContext) => void
  sampleRate?: number
  channels?: number
  soundFrom?: number
  /** The time at which audio ends, in seconds, for all tracks or for each (default: the end of the video). */
  soundTo?: number | readonly number[]
  /** The time at which a subtitle ends that starts with the video, in seconds. Without it, there are no subtitles. */
  subtitleTo?: number
  interlaced?: boolean
  cover?: boolean
}

const RED: Rgb = [220, 30, 30]
const GREEN: Rgb = [30, 200, 40]
const BLUE: Rgb = [30, 40, 210]
const YELLOW: Rgb = [230, 220, 40]

/** Paints four quarters: red and green above blue and yellow. They show every rotation and flip. */
export const quarters =
  (width: number, height: number): Paint =>
  (x, y) =>
    y < height / 2 ? (x < width / 2 ? RED : GREEN) : x < width / 2 ? BLUE : YELLOW

/** Paints each frame in one gray level, which identifies the frame. The level increases by 8 per frame. */
export const counting: Paint = (_x, _y, index) => {
  const level = 20 + 8 * index
  return [level, level, level]
}

/** Paints gray noise that differs in each frame. It compresses badly, so the clip is large. */
export const noise: Paint = (x, y, index) => {
  const level = (x * 7919 + y * 104_729 + index * 15_485_863 + ((x * y) >> 2) * 31) & 255
  return [level, level, level]
}

type Made = { path: string; seconds: number }

export async function makeClip(path: string, options: ClipOptions): Promise<Made> {
  const {
    container,
    width = 96,
    height = 64,
    rate = 25,
    sound: audio = [],
    sampleRate = 48_000,
    channels = 2,
  } = options
  const times = options.times ?? Array.from({ length: options.frames ?? 10 }, (_, index) => (index * 1000) / rate)
  const seconds = ((times.at(-1) ?? 0) + 1000 / rate) / 1000
  const output = new FormatContext()
  check(output.allocOutputContext2(null, container, path), 'set up')
  const base = options.times === undefined ? { num: 1, den: rate } : { num: 1, den: 1000 }
  const video = openEncoder(options.video ?? 'libx264', options.encoder ?? {}, output, (context) => {
    context.width = width
    context.height = height
    context.pixelFormat = avGetPixFmtFromName(options.pixels ?? 'yuv420p')
    context.timeBase = base as CodecContext['timeBase']
    context.framerate = { num: rate, den: 1 } as CodecContext['framerate']
    context.sampleAspectRatio = (options.pixelAspect ?? { num: 1, den: 1 }) as CodecContext['sampleAspectRatio']
    context.colorSpace = AVCOL_SPC_SMPTE170M
    context.threadCount = 1
    options.prepare?.(context)
  })
  if (options.pixelAspect !== undefined)
    video.stream.sampleAspectRatio = options.pixelAspect as Stream['sampleAspectRatio']
  if (options.matrix !== undefined) {
    video.stream.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, displayMatrix(options.matrix))
  }
  const sounds = audio.map((name) =>
    openEncoder(name, {}, output, (context) => {
      context.sampleRate = sampleRate
      context.channelLayout = avChannelLayoutDefault(channels)
      context.sampleFormat =
        existing(Codec.findEncoderByName(name as FFEncoderCodec), name).sampleFormats?.[0] ?? AV_SAMPLE_FMT_FLTP
      context.bitRate = 64_000n
      context.timeBase = { num: 1, den: sampleRate } as CodecContext['timeBase']
      // Allow encoders that libav marks as experimental.
      context.setOption('strict', '-2')
    }),
  )
  const covers =
    options.cover === true
      ? [
          openEncoder('mjpeg', {}, output, (context) => {
            context.width = 32
            context.height = 32
            context.pixelFormat = avGetPixFmtFromName('yuvj420p')
            context.timeBase = { num: 1, den: 25 } as CodecContext['timeBase']
          }),
        ]
      : []
  for (const { stream } of covers) stream.disposition = 1024 as Stream['disposition']
  const subtitles = options.subtitleTo === undefined ? undefined : openSubtitles(output)
  check(await output.openOutput(), 'open')
  check(await output.writeHeader(Dictionary.fromObject(options.muxer ?? {})), 'header')
  subtitles?.(options.subtitleTo ?? 0)
  for (const cover of covers) {
    cover.encode(
      paintFrame(32, 32, 'yuvj420p', () => [255, 0, 255], 0, []),
      0n,
    )
    cover.encode(null)
  }
  const paint = options.paint ?? quarters(width, height)
  for (const [index, ms] of times.entries()) {
    const frame = paintFrame(width, height, options.pixels ?? 'yuv420p', paint, index, options.filters ?? [])
    const pts = options.times === undefined ? BigInt(index) : BigInt(Math.round(ms))
    frame.sampleAspectRatio = (options.pixelAspect ?? { num: 1, den: 1 }) as Frame['sampleAspectRatio']
    if (options.interlaced === true) frame.setFlags(AV_FRAME_FLAG_INTERLACED, AV_FRAME_FLAG_TOP_FIELD_FIRST)
    video.encode(frame, pts)
    frame.free()
  }
  const endOf = (track: number) =>
    typeof options.soundTo === 'number' ? options.soundTo : (options.soundTo?.[track] ?? seconds)
  for (const [index, track] of sounds.entries())
    encodeTone(track, { sampleRate, channels, from: options.soundFrom ?? 0, to: endOf(index) })
  video.encode(null)
  check(await output.writeTrailer(), 'trailer')
  await output.closeOutput()
  return { path, seconds }
}

type Track = { context: CodecContext; stream: Stream; encode: (frame: Frame | null, pts?: bigint) => void }

function openEncoder(
  name: string,
  settings: Record<string, string>,
  output: FormatContext,
  set: (context: CodecContext) => void,
): Track {
  const codec = existing(Codec.findEncoderByName(name as FFEncoderCodec), name)
  const context = new CodecContext()
  context.allocContext3(codec)
  set(context)
  if (['mp4', 'mov', 'matroska', 'webm', 'flv'].some((muxer) => output.oformat?.name?.includes(muxer))) {
    context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
  }
  for (const [key, value] of Object.entries(settings)) check(context.setOption(key, value), `set ${key}`)
  check(context.open2Sync(codec, null), `open ${name}`)
  const stream = output.newStream()
  check(context.parametersFromContext(stream.codecpar), 'describe')
  stream.timeBase = context.timeBase
  stream.avgFrameRate = context.framerate
  const packet = new Packet()
  packet.alloc()
  return {
    context,
    stream,
    encode(frame, pts) {
      if (frame !== null) {
        frame.pts = pts ?? frame.pts
        frame.pictType = 0 as Frame['pictType']
      }
      check(context.sendFrameSync(frame), `encode ${name}`)
      for (;;) {
        const received = context.receivePacketSync(packet)
        if (received === AVERROR_EAGAIN || received === AVERROR_EOF) return
        check(received, 'packet')
        packet.streamIndex = stream.index
        packet.rescaleTs(context.timeBase, stream.timeBase)
        check(output.interleavedWriteFrameSync(packet), 'write')
      }
    },
  }
}

/** Adds a track for subtitles. Returns a function that writes a subtitle from 0 until a time in seconds. */
function openSubtitles(output: FormatContext): (seconds: number) => void {
  const stream = output.newStream()
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE
  stream.codecpar.codecId = AV_CODEC_ID_SUBRIP
  return (seconds) => {
    const packet = new Packet()
    packet.alloc()
    packet.data = Buffer.from('Subtitle')
    packet.streamIndex = stream.index
    packet.pts = 0n
    packet.dts = 0n
    packet.duration = BigInt(Math.round((seconds * stream.timeBase.den) / stream.timeBase.num))
    check(output.interleavedWriteFrameSync(packet), 'write')
    packet.free()
  }
}

function paintFrame(
  width: number,
  height: number,
  pixels: string,
  paint: Paint,
  index: number,
  filters: Link[],
): Frame {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) data.set(paint(x, y, index), (y * width + x) * 3)
  }
  const painted = imageFrame({ width, height }, avGetPixFmtFromName('rgb24'), [{ data, rowBytes: width * 3 }])
  const range = pixels.startsWith('yuvj') ? 'pc' : 'tv'
  const toPixels: Link[] = [
    { name: 'scale', args: { out_color_matrix: 'smpte170m', out_range: range, flags: 'accurate_rnd' } },
    { name: 'format', args: { pix_fmts: pixels } },
    ...filters,
  ]
  using graph = buildGraph(filterText(toPixels), {
    main: { name: 'in', open: (of) => frameSource(of, 'in', painted, { num: 1, den: 25 }) },
    stills: [],
    sink: 'buffersink',
    threads: 1,
  })
  graph.put(painted)
  const frame = new Frame()
  frame.alloc()
  if (!graph.take(frame)) throw new Error('no frame')
  painted.free()
  return frame
}

function encodeTone(track: Track, tone: { sampleRate: number; channels: number; from: number; to: number }): void {
  const size = track.context.frameSize || 1024
  const total = Math.round((tone.to - tone.from) * tone.sampleRate)
  for (let at = 0; at < total; at += size) {
    const frame = toneFrame(track.context, at, Math.min(size, total - at), tone)
    track.encode(frame, BigInt(Math.round(tone.from * tone.sampleRate) + at))
    frame.free()
  }
  track.encode(null)
}

/** Makes an audio frame of a 440 Hz tone at a quarter of the full volume, in the encoder's sample format. */
function toneFrame(
  context: CodecContext,
  at: number,
  samples: number,
  { sampleRate, channels }: { sampleRate: number; channels: number },
): Frame {
  const frame = new Frame()
  frame.alloc()
  frame.format = context.sampleFormat
  frame.nbSamples = samples
  frame.sampleRate = sampleRate
  frame.channelLayout = avChannelLayoutDefault(channels)
  check(frame.getBuffer(), 'samples')
  const planes = existing(frame.data, 'samples')
  const kind = context.sampleFormat as number
  const isPlanar = kind >= 5
  const width = [1, 2, 4, 4, 8, 1, 2, 4, 4, 8][kind] ?? 4
  const isFloat = kind === 3 || kind === 8
  for (let sample = 0; sample < samples; sample += 1) {
    const value = 0.25 * Math.sin((2 * Math.PI * 440 * (at + sample)) / sampleRate)
    for (let channel = 0; channel < channels; channel += 1) {
      const plane = planes[isPlanar ? channel : 0]
      const offset = (isPlanar ? sample : sample * channels + channel) * width
      if (isFloat) plane?.writeFloatLE(value, offset)
      else if (width === 2) plane?.writeInt16LE(Math.round(value * 32_767), offset)
      else plane?.writeInt32LE(Math.round(value * 2_147_483_647), offset)
    }
  }
  return frame
}

/** Returns a display matrix in libav's format: 16.16-bit fixed-point numbers, 2.30-bit in the last column. */
function displayMatrix([a, b, c, d]: readonly [number, number, number, number]): Buffer {
  const matrix = Buffer.alloc(36)
  for (const [index, value] of [a, b, 0, c, d, 0, 0, 0].entries()) matrix.writeInt32LE(value * 65_536, index * 4)
  matrix.writeInt32LE(1 << 30, 32)
  return matrix
}
