import { RequestFailure } from '@mediamill/contract/domain/errors'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import { planVideo } from '@mediamill/media/plan/video'
import {
  AV_CODEC_FLAG_BITEXACT,
  AV_CODEC_FLAG_QSCALE,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_RANGE_JPEG,
  FF_ENCODER_MJPEG,
  FF_ENCODER_PNG,
  FF_QP2LAMBDA,
} from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { Codec, CodecContext } from 'node-av/lib'
import type { EngineResult, JobOf } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'
import type { CallWorker } from '../protocol/serve.ts'
import { shapeOf } from './color/frame-shape.ts'
import { groundMatrix, normalize } from './color/normalize.ts'
import { findFrame } from './find-frame.ts'
import { formatSeconds } from './libav/failures.ts'
import type { Link } from './libav/filter-text.ts'
import { filterText } from './libav/filter-text.ts'
import { buildGraph, frameSource } from './libav/graph.ts'
import { check, existing, newFrame, newPacket } from './libav/libav.ts'
import type { Media } from './libav/media.ts'
import { stillMemoryFor } from './memory.ts'
import { displayedSizeOf, readMetadata } from './metadata.ts'
import { withMedia } from './with-media.ts'

type Image = Size & { data: Buffer }

export async function screenshotVideo(
  job: JobOf<'videos/screenshot'>,
  _report: unknown,
  callWorker: CallWorker,
): Promise<EngineResult<'videos/screenshot'>> {
  const { seconds, output } = job.parameters
  const { format } = output
  const shoot = async (media: Media): Promise<Image> => {
    const displayed = displayedSizeOf(media)
    // Only checks the limits.
    planVideo([], displayed, job.limits)
    const duration = media.durationSeconds ?? (await readMetadata(media)).duration
    if (seconds >= duration) throw pastTheEnd(seconds, duration)
    const { width, height } = media.video.codecpar
    await callWorker({ type: 'reserve', bytes: stillMemoryFor(displayed, { width, height }) })
    using frame = await findFrame(media, seconds, job.limits.maxFramePixels)
    return { ...displayed, data: encodeStill(frame, { format, media, displayed }) }
  }
  const frame = await withMedia(job.input, callWorker, shoot, { isHeaderEnough: true })
  const fix = 'Use output.format jpg, which makes the smallest file.'
  const file = writeResult(job, format, { parts: [frame.data], fix })
  const { width, height } = frame
  const metadata = { width, height, format: OUTPUT.image[format].name, size: file.size, seconds }
  return { data: metadata, files: [file], units: 1 }
}

function pastTheEnd(seconds: number, duration: number): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    `The video is ${formatSeconds(duration)} long, so there is no frame at ${seconds} s. Choose a time before its end.`,
  )
}

type Format = 'jpg' | 'png'

const ENCODINGS = {
  jpg: { name: FF_ENCODER_MJPEG, format: AV_PIX_FMT_YUVJ420P, pixels: 'yuvj420p', range: AVCOL_RANGE_JPEG },
  png: { name: FF_ENCODER_PNG, format: AV_PIX_FMT_RGB24, pixels: 'rgb24', range: AVCOL_RANGE_JPEG },
} as const

type StillOptions = { format: Format; media: Media; displayed: Size }

// From 2 (best) to 31. At 3, files are as large as at quality 90 of other encoders.
const JPEG_QUANTISER = 3

function encodeStill(frame: Frame, { format, media, displayed }: StillOptions): Buffer {
  const shape = shapeOf(frame, media.video.sampleAspectRatio)
  const ground = { ...displayed, matrix: groundMatrix(shape), pixels: 'yuv444p' as const }
  const links = [...normalize(shape, ground, media.turn, { isStill: true }), ...endingOf(format)]
  using graph = buildGraph(filterText(links), {
    main: { name: 'in', open: (of) => frameSource(of, 'in', frame, media.video.timeBase) },
    stills: [],
    sink: 'buffersink',
    threads: 1,
  })
  using converted = newFrame()
  frame.pts = 0n
  graph.put(frame)
  if (!graph.take(converted)) {
    graph.put(null)
    if (!graph.take(converted)) throw new Error('the filters returned no frame')
  }
  return encode(converted, format)
}

function endingOf(format: Format): Link[] {
  const { pixels } = ENCODINGS[format]
  if (format === 'png') return [{ name: 'format', args: { pix_fmts: pixels } }]
  const light = { out_color_matrix: 'bt601', out_range: 'pc', flags: 'accurate_rnd' }
  return [
    { name: 'scale', args: light },
    { name: 'format', args: { pix_fmts: pixels } },
  ]
}

function encode(frame: Frame, format: Format): Buffer {
  const { name, format: pixelFormat, range } = ENCODINGS[format]
  const codec = existing(Codec.findEncoderByName(name), name)
  using context = new CodecContext()
  context.allocContext3(codec)
  context.width = frame.width
  context.height = frame.height
  context.pixelFormat = pixelFormat
  context.colorRange = range
  context.timeBase = { num: 1, den: 25 } as CodecContext['timeBase']
  context.threadCount = 1
  if (format === 'jpg') {
    // Without this flag, the JPEG contains a comment with the library's name.
    context.setFlags(AV_CODEC_FLAG_QSCALE, AV_CODEC_FLAG_BITEXACT)
    context.globalQuality = JPEG_QUANTISER * FF_QP2LAMBDA
    frame.quality = JPEG_QUANTISER * FF_QP2LAMBDA
  }
  check(context.open2Sync(codec, null), `open ${name}`)
  using packet = newPacket()
  check(context.sendFrameSync(frame), 'encode the frame')
  check(context.sendFrameSync(null), 'end the encoding')
  check(context.receivePacketSync(packet), 'receive the packet')
  return Buffer.from(existing(packet.data, 'packet data'))
}
