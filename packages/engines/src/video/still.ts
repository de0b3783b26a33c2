import { thumbnailSize } from '@mediamill/contract/domain/drawn/thumbnail'
import type { Size } from '@mediamill/contract/domain/size'
import {
  AV_CODEC_FLAG_BITEXACT,
  AV_CODEC_FLAG_QSCALE,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  FF_ENCODER_LIBWEBP,
  FF_ENCODER_MJPEG,
  FF_ENCODER_PNG,
  FF_QP2LAMBDA,
} from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { Codec, CodecContext, Packet } from 'node-av/lib'
import type { FrameShape } from './color/frame-shape.ts'
import { shapeOf } from './color/frame-shape.ts'
import { normalize } from './color/normalize.ts'
import { turned } from './libav/display-matrix.ts'
import type { Link } from './libav/filter-text.ts'
import { filterText } from './libav/filter-text.ts'
import { buildGraph } from './libav/graph.ts'
import { check, existing } from './libav/libav.ts'
import type { Media } from './libav/media.ts'
import { newFrame } from './libav/new-frame.ts'
import { pictureSource } from './libav/picture-source.ts'

type Format = 'jpg' | 'png' | 'webp'

const ENCODINGS = {
  jpg: { name: FF_ENCODER_MJPEG, format: AV_PIX_FMT_YUVJ420P, pixels: 'yuvj420p', range: AVCOL_RANGE_JPEG },
  png: { name: FF_ENCODER_PNG, format: AV_PIX_FMT_RGB24, pixels: 'rgb24', range: AVCOL_RANGE_JPEG },
  webp: { name: FF_ENCODER_LIBWEBP, format: AV_PIX_FMT_YUV420P, pixels: 'yuv420p', range: AVCOL_RANGE_MPEG },
} as const

export type StillOptions = { format: 'jpg' | 'png'; media: Media; displayed: Size }

// 2 to 31 of libav's JPEG encoder, fewer is better: at 3 the files are as large as those of quality 90 elsewhere.
const JPEG_QUANTISER = 3

/** Encodes one decoded frame as players show it. It is upright, with square pixels, in the colours of a screen. */
export function encodeStill(frame: Frame, options: StillOptions): Buffer {
  return encodeAs(frame, options, options.format)
}

/** Makes the thumbnail of a still as WebP. It comes from the same frame, scaled before it is encoded. */
export function encodeThumbnail(frame: Frame, options: Omit<StillOptions, 'format'>): Buffer {
  return encodeAs(frame, options, 'webp')
}

function encodeAs(frame: Frame, { media, displayed }: Omit<StillOptions, 'format'>, format: Format): Buffer {
  const shape = shapeOf(frame, media.video.sampleAspectRatio)
  const matrix = shape.light === 'sdr' ? shape.matrix : 'bt709'
  // A thumbnail is scaled by the first filter that touches its pixels, and of a large frame it looks at some rows alone.
  const size = format === 'webp' ? thumbnailSize(displayed) : displayed
  const ground = { ...size, matrix, pixels: 'yuv444p' as const }
  const halvings = format === 'webp' ? halvingsFor(shape, turned(size, media.turn)) : 0
  const links = [...skipRows(halvings), ...normalize(halved(shape, halvings), ground, media.turn), ...endingOf(format)]
  using graph = buildGraph(filterText(links), {
    main: { name: 'in', open: (of) => pictureSource(of, 'in', frame, media.video.timeBase) },
    stills: [],
    sink: 'buffersink',
    threads: 1,
  })
  using picture = newFrame()
  frame.pts = 0n
  graph.put(frame)
  if (!graph.take(picture)) {
    graph.put(null)
    if (!graph.take(picture)) throw new Error('the filters gave no picture')
  }
  return encode(picture, format)
}

/** Of the rows that make one of a thumbnail, at least so many are looked at. */
const ROWS_LOOKED_AT = 2

/** Returns how often every other row of a frame can be left out, for a thumbnail of this height. */
const halvingsFor = ({ height }: Size, thumbnail: Size) =>
  Math.max(0, Math.floor(Math.log2(height / thumbnail.height / ROWS_LOOKED_AT)))

/** The filters that leave out every other row. They copy nothing: the frame says that its rows lie farther apart. */
const skipRows = (halvings: number): Link[] =>
  Array.from({ length: halvings }, () => ({ name: 'field', args: { type: 'top' } }))

/** The shape of a frame so halved: what is left of two fields is one. */
const halved = (shape: FrameShape, halvings: number): FrameShape =>
  halvings === 0 ? shape : { ...shape, height: Math.ceil(shape.height / 2 ** halvings), isInterlaced: false }

/** How a picture leaves the filters. JPEG and WebP are taken to be made with the matrix of BT.601 whatever their size. */
function endingOf(format: Format): Link[] {
  const { pixels } = ENCODINGS[format]
  if (format === 'png') return [{ name: 'format', args: { pix_fmts: pixels } }]
  const light = { out_color_matrix: 'bt601', out_range: format === 'jpg' ? 'pc' : 'tv', flags: 'accurate_rnd' }
  return [
    { name: 'scale', args: light },
    { name: 'format', args: { pix_fmts: pixels } },
  ]
}

function encode(picture: Frame, format: Format): Buffer {
  const { name, format: pixelFormat, range } = ENCODINGS[format]
  const codec = existing(Codec.findEncoderByName(name), name)
  using context = new CodecContext()
  context.allocContext3(codec)
  context.width = picture.width
  context.height = picture.height
  context.pixelFormat = pixelFormat
  context.colorRange = range
  context.timeBase = { num: 1, den: 25 } as CodecContext['timeBase']
  context.threadCount = 1
  // The cheapest, as of every thumbnail: effort 4 takes twice as long.
  if (format === 'webp') check(context.setOption('compression_level', '0'), 'set compression_level')
  if (format === 'jpg') {
    // Without a comment that names the library.
    context.setFlags(AV_CODEC_FLAG_QSCALE, AV_CODEC_FLAG_BITEXACT)
    context.globalQuality = JPEG_QUANTISER * FF_QP2LAMBDA
    picture.quality = JPEG_QUANTISER * FF_QP2LAMBDA
  }
  check(context.open2Sync(codec, null), `open ${name}`)
  using packet = new Packet()
  packet.alloc()
  check(context.sendFrameSync(picture), 'encode the picture')
  check(context.sendFrameSync(null), 'end the picture')
  check(context.receivePacketSync(packet), 'take the picture')
  return Buffer.from(existing(packet.data, 'picture'))
}
