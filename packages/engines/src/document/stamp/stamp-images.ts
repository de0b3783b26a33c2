import { readFile } from 'node:fs/promises'
import type { Size } from '@mediamill/contract/domain/size'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import { assetsOf } from '@mediamill/contract/operations/schema'
import { bareJpeg } from '@mediamill/media/formats/jpeg'
import { pngData } from '@mediamill/media/formats/png'
import { isOpaque } from '@mediamill/media/pixels/blend'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import sharp from 'sharp'
import type { AdditionalInput, EngineLimits } from '../../protocol/messages.ts'
import { orientationOf } from '../../sharp/header.ts'
import { allowFormats } from '../../sharp/loaders.ts'
import { openMarks } from '../../sharp/watermark-image.ts'
import type { Matrix } from '../geometry.ts'
import type { NewStream } from '../pdf/edited-file.ts'
import type { PdfText } from '../pdf/syntax.ts'

export type StampImage = {
  size: Size
  /** Converts points of the upright image to points of the stored image. Both images have the width and height 1. */
  upright: Matrix
  image: NewStream
  profile?: NewStream
  mask?: NewStream
}

/** The matrix of each EXIF orientation. The y axis points upwards. */
const UPRIGHT: Record<ReturnType<typeof orientationOf>, Matrix> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
}

const LOSSLESS = { compressionLevel: 9, adaptiveFiltering: true }

const COLOR_SPACES: Record<number, string> = { 1: '/DeviceGray', 3: '/DeviceRGB' }

/** Reads the watermark images by URL. Throws `RequestFailure` with the index of the operation. */
export async function readStampImages(
  operations: readonly OperationInput[],
  assets: readonly AdditionalInput[],
  limits: EngineLimits,
): Promise<Map<string, StampImage>> {
  allowFormats(assets.map((asset) => asset.format))
  const marks = await openMarks(operations, assets, limits)
  const images = new Map<string, StampImage>()
  for (const { url, operation } of assetsOf(operations)) {
    const file = assets.find((asset) => asset.url === url)
    if (images.has(url) || file === undefined) continue
    // A JPEG is embedded unchanged, but decoded too, to detect damage.
    const pixels = await marks.pixelsOf(url, operation)
    images.set(url, (file.format === 'JPEG' ? await asEncoded(file, pixels) : undefined) ?? (await asPixels(pixels)))
  }
  return images
}

/**
 * Embeds a gray or YCbCr JPEG unchanged. Returns `undefined` for other color spaces, because viewers disagree about
 * them.
 */
async function asEncoded(file: AdditionalInput, { width, height }: Size): Promise<StampImage | undefined> {
  const bytes = await readFile(file.path)
  const jpeg = bareJpeg(bytes)
  const colorSpace = COLOR_SPACES[jpeg?.components ?? 0]
  if (jpeg === undefined || colorSpace === undefined) return undefined
  const header = await sharp(bytes, { limitInputPixels: false }).metadata()
  const { icc } = header
  return {
    size: { width, height },
    upright: UPRIGHT[orientationOf(header)],
    image: {
      entries: [...imageEntries(jpeg.width, jpeg.height, colorSpace), ['Filter', '/DCTDecode']],
      data: jpeg.bytes,
    },
    ...(isProfileOf(icc, jpeg.components) && {
      profile: { entries: [['N', String(jpeg.components)]], data: icc },
    }),
  }
}

const isProfileOf = (icc: Buffer | undefined, components: number): icc is Buffer =>
  icc?.toString('latin1', 16, 20) === (components === 1 ? 'GRAY' : 'RGB ')

async function asPixels({ data, width, height, channels }: RawImage): Promise<StampImage> {
  const size = { width, height }
  const open = () => sharp(data, { raw: { ...size, channels }, limitInputPixels: false })
  const colors = plane(size, '/DeviceRGB', 3, await open().removeAlpha().png(LOSSLESS).toBuffer())
  if (isOpaque({ data })) return { size, upright: UPRIGHT[1], image: colors }
  const opacity = await open().extractChannel(3).toColourspace('b-w').png(LOSSLESS).toBuffer()
  return { size, upright: UPRIGHT[1], image: colors, mask: plane(size, '/DeviceGray', 1, opacity) }
}

function plane({ width, height }: Size, colorSpace: string, channels: number, png: Buffer): NewStream {
  const parameters = `<</Predictor 15/Colors ${channels}/BitsPerComponent 8/Columns ${width}>>`
  return {
    entries: [...imageEntries(width, height, colorSpace), ['Filter', '/FlateDecode'], ['DecodeParms', parameters]],
    data: pngData(png),
  }
}

const imageEntries = (width: number, height: number, colorSpace: string): [string, PdfText][] => [
  ['Type', '/XObject'],
  ['Subtype', '/Image'],
  ['Width', String(width)],
  ['Height', String(height)],
  ['ColorSpace', colorSpace],
  ['BitsPerComponent', '8'],
]
