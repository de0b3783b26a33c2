import { open } from 'node:fs/promises'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { SourceFormat, VideoSourceFormat } from '@mediamill/contract/domain/media'
import { SOURCE_FORMATS } from '@mediamill/contract/domain/media'
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_STILL_IMAGE,
  AV_DISPOSITION_TIMED_THUMBNAILS,
  AV_NOPTS_VALUE,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVDISCARD_ALL,
  AVERROR_EAGAIN,
  AVFMT_FLAG_CUSTOM_IO,
  AVFMT_TS_DISCONT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import type { IOContext, Packet, Stream } from 'node-av/lib'
import { avRescaleQ, Dictionary, FormatContext, InputFormat } from 'node-av/lib'
import type { EngineFile } from '../../protocol/messages.ts'
import type { ByteSource } from './byte-source.ts'
import { DECODER_WHITELIST, demuxerOf } from './codecs.ts'
import type { Turn } from './display-matrix.ts'
import { displayTurn } from './display-matrix.ts'
import { damaged } from './failures.ts'
import { takeHeader } from './h264-header.ts'
import { check, existing, LibavError, MICROSECONDS } from './libav.ts'
import { containsSegment } from './matroska-end.ts'

export type Media = AsyncDisposable & {
  context: FormatContext
  format: VideoSourceFormat
  size: number
  video: Stream
  audio: Stream | undefined
  turn: Turn
  /** When playback starts, in microseconds. */
  startUs: bigint
  /**
   * The ticks between the time of a frame in the file and the time that the decoder reports. AVI stores only decoding
   * times, so the value can be more than 0.
   */
  frameDelay: bigint
  /** The duration from the header, or else from the first and last packets. */
  durationSeconds: number | undefined
  /**
   * The end of the track that ends last, in seconds from the start of playback. `undefined` if a track has no start or no
   * duration.
   */
  tracksSeconds: number | undefined
  /** The divisor of these durations. For a truncated AVI, libav reduces the durations in proportion to its size. */
  shortenedBy: number
  /** Whether times may jump, as in broadcasts. The duration is then only the last time minus the first. */
  isStream: boolean
  isWhole: boolean
  /** Whether a Matroska file contains all its declared bytes. `false` for other formats. */
  hasWholeSegment: boolean
  /** Announces a sequential read of about this many bytes. */
  expect: (bytes: number) => void
}

/** Reads the next packet. Returns a negative number at the end or for an error, as libav does. */
export async function readPacket({ context, isWhole }: Media, packet: Packet): Promise<number> {
  for (;;) {
    const read = isWhole ? context.readFrameSync(packet) : await context.readFrame(packet)
    if (read !== AVERROR_EAGAIN) return read
  }
}

export const streamsOf = ({ video, audio }: Media): Map<number, Stream> =>
  new Map([video, ...(audio === undefined ? [] : [audio])].map((stream) => [stream.index, stream]))

/** Returns the frame rate in the header, if any. */
export function statedRate({ video }: Media): { num: number; den: number } | undefined {
  return [video.avgFrameRate, video.rFrameRate].find(({ num, den }) => num > 0 && den > 0)
}

export type MediaOptions = {
  /** Whether to decode no frame if the header is complete. The pixel format is then unknown. */
  isHeaderEnough?: boolean
}

const PROBE_BYTES = 5_000_000
const PROBE_US = 5_000_000
const MAX_STREAMS = 64

/** Opens a video. Throws `RequestFailure` if the file is invalid or has no video track. */
export async function openMedia(
  file: EngineFile,
  reader?: Pick<ByteSource, 'io' | 'expect'>,
  options: MediaOptions = {},
): Promise<Media> {
  const isWhole = reader === undefined
  const build = (context: FormatContext, format: VideoSourceFormat, head: Buffer) => ({
    ...describe(context, format, file.size),
    isWhole,
    hasWholeSegment: containsSegment(head, file.size),
    expect: reader?.expect ?? (() => {}),
  })
  return await openAs(file, { reader: reader?.io, ...options }, build)
}

export async function openAudio(
  file: EngineFile,
): Promise<AsyncDisposable & { context: FormatContext; stream: Stream }> {
  return await openAs(file, {}, (context) => ({
    context,
    stream: existing(context.streams[0], 'audio in the file'),
    async [Symbol.asyncDispose]() {
      await context.closeInput()
    },
  }))
}

async function openAs<T>(
  file: EngineFile,
  { reader, isHeaderEnough = false }: MediaOptions & { reader?: IOContext | undefined },
  build: (context: FormatContext, format: VideoSourceFormat, head: Buffer) => T,
): Promise<T> {
  const format = videoFormat(file.format)
  const head = await readHead(file.path)
  const demuxer = existing(InputFormat.findInputFormat(demuxerOf(format, head)), 'demuxer')
  const context = new FormatContext()
  const options = Dictionary.fromObject(inputOptions(demuxer.name ?? '', reader === undefined ? 'file' : 'none'))
  try {
    context.allocContext()
    if (reader !== undefined) {
      context.pb = reader
      context.setFlags(AVFMT_FLAG_CUSTOM_IO)
    }
    check(await context.openInput(reader === undefined ? file.path : '', demuxer, options), 'open')
    const header = isHeaderEnough ? takeHeader(context) : undefined
    check(await context.findStreamInfo(null), 'read the header')
    header?.complete()
    return build(context, format, head)
  } catch (error) {
    await context.closeInput()
    throw error instanceof LibavError ? damaged(error) : error
  }
}

export function inputOptions(formats: string, protocols: 'file' | 'none'): Record<string, string | number> {
  return {
    protocol_whitelist: protocols,
    format_whitelist: formats,
    codec_whitelist: DECODER_WHITELIST,
    probesize: PROBE_BYTES,
    analyzeduration: PROBE_US,
    max_streams: MAX_STREAMS,
  }
}

type Described = Omit<Media, 'isWhole' | 'hasWholeSegment' | 'expect'>

function describe(context: FormatContext, format: VideoSourceFormat, size: number): Described {
  const { streams } = context
  const video = pickVideo(context, streams)
  const audio = streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO && codecpar.sampleRate > 0)
  for (const stream of streams) if (stream !== video && stream !== audio) stream.discard = AVDISCARD_ALL
  const { duration } = context
  const startUs = startOf(video, audio)
  return {
    context,
    format,
    size,
    video,
    audio,
    turn: displayTurn(video.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX)),
    startUs,
    frameDelay: format === 'AVI' ? BigInt(video.codecpar.videoDelay) : 0n,
    // Without a container, libav estimates the duration from the bitrate, which may be wrong.
    durationSeconds: duration > 0n && context.iformat?.name !== 'mpegvideo' ? Number(duration) / 1e6 : undefined,
    tracksSeconds: endOf(audio === undefined ? [video] : [video, audio], startUs),
    shortenedBy:
      format === 'AVI' && video.duration > 0n ? Math.max(1, Number(video.nbFrames) / Number(video.duration)) : 1,
    isStream: context.iformat?.hasFlags(AVFMT_TS_DISCONT as never) === true,
    async [Symbol.asyncDispose]() {
      await context.closeInput()
    },
  }
}

/** Returns the video track. Ignores covers and thumbnails, which are tracks with one frame. */
function pickVideo(context: FormatContext, streams: readonly Stream[]): Stream {
  const moving = streams.filter(
    (stream) =>
      stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO &&
      !STILL_DISPOSITIONS.some((disposition) => stream.hasDisposition(disposition)),
  )
  const best = context.findBestStream(AVMEDIA_TYPE_VIDEO)
  const video = moving.find((stream) => stream.index === best) ?? moving[0]
  if (video === undefined) {
    throw new RequestFailure('unsupported_media', 'The source has no video track, only audio or a still image.')
  }
  return video
}

const STILL_DISPOSITIONS = [AV_DISPOSITION_ATTACHED_PIC, AV_DISPOSITION_STILL_IMAGE, AV_DISPOSITION_TIMED_THUMBNAILS]

function startOf(video: Stream, audio: Stream | undefined): bigint {
  const starts = [video, audio].flatMap((stream) =>
    stream === undefined || stream.startTime === AV_NOPTS_VALUE
      ? []
      : [avRescaleQ(stream.startTime, stream.timeBase, MICROSECONDS)],
  )
  const start = starts.reduce((earliest, each) => (each < earliest ? each : earliest), starts[0] ?? 0n)
  // Audio before time 0 is encoder delay, which is not played.
  return start < 0n && (starts[0] ?? 0n) >= 0n ? 0n : start
}

function endOf(tracks: readonly Stream[], startUs: bigint): number | undefined {
  const ends = tracks.map(({ startTime, duration, timeBase }) =>
    startTime === AV_NOPTS_VALUE || duration <= 0n
      ? Number.NaN
      : (Number(startTime + duration) * timeBase.num) / timeBase.den,
  )
  const end = Math.max(...ends) - Number(startUs) / 1e6
  return Number.isNaN(end) ? undefined : end
}

// Enough for the header of Matroska, and the size of its segment.
const HEAD_BYTES = 1024

async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path)
  const head = Buffer.alloc(HEAD_BYTES)
  await file.read(head, 0, head.length, 0)
  return head
}

function videoFormat(format: SourceFormat): VideoSourceFormat {
  const found = SOURCE_FORMATS.video.find((known) => known === format)
  if (found === undefined) throw new RequestFailure('unsupported_media', 'The source is not a video.')
  return found
}
