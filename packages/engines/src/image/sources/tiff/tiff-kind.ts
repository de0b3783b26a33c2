import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { TiffPage } from '@mediamill/media/formats/tiff/tiff-page'

export const PHOTOMETRIC = {
  whiteIsZero: 0,
  blackIsZero: 1,
  rgb: 2,
  palette: 3,
  cmyk: 5,
  ycbcr: 6,
  cieLab: 8,
  iccLab: 9,
} as const

const { whiteIsZero, blackIsZero, rgb, palette, cmyk, ycbcr, cieLab, iccLab } = PHOTOMETRIC

export const COLOR_SAMPLES: Record<number, number> = {
  [whiteIsZero]: 1,
  [blackIsZero]: 1,
  [rgb]: 3,
  [palette]: 1,
  [cmyk]: 4,
  [ycbcr]: 3,
  [cieLab]: 3,
  [iccLab]: 3,
}

const OLD_JPEG = 6
const JPEG = 7
/** The compressions that `decodeTiff` supports: uncompressed, LZW, deflate (two numbers), PackBits, and Zstandard. */
const DECODED_COMPRESSIONS: ReadonlySet<number> = new Set([1, 5, 8, 32_773, 32_946, 50_000])
const ZSTANDARD = 50_000

/** Chooses libvips, except for pages that it decodes wrongly. Throws if no decoder supports the page. */
export function decoderOf(page: TiffPage): 'libvips' | 'own' {
  const { photometric, compression } = page
  // Without a photometric value, the page is a mask, a thumbnail, or a fax. libvips decodes it by other fields.
  if (photometric === undefined) return 'libvips'
  const feature = unsupportedFeature(page)
  if (feature !== undefined) throw notSupported(feature)
  if (compression === JPEG || isOfLibvips(page)) return 'libvips'
  if (isTooLarge(page)) throw notSupported('the size of its strips or tiles')
  if (!DECODED_COMPRESSIONS.has(compression)) throw notSupported('its compression')
  return 'own'
}

const MAX_SAMPLES = 16
const SHARES: ReadonlySet<number> = new Set([1, 2, 4])

function unsupportedFeature(page: TiffPage): string | undefined {
  const { photometric = blackIsZero, compression, bits, format, samples } = page
  const colors = COLOR_SAMPLES[photometric]
  if (colors === undefined) return 'its color space'
  if (compression === OLD_JPEG) return 'its old-style JPEG compression'
  // Images with more samples come from scientific instruments.
  if (samples < colors || samples > MAX_SAMPLES) return 'its number of samples'
  if (!page.isUniform) return 'its samples of different sizes'
  const isLab = photometric === cieLab || photometric === iccLab
  // 16-bit Lab may be signed: libvips writes and reads it as signed values.
  if (format === 2 && !(isLab && bits === 16)) return 'its signed samples'
  if (photometric === cmyk && page.inkSet !== 1) return 'its inks, which are not CMYK'
  if (isLab && compression === JPEG) return 'its Lab colors in a JPEG'
  if (compression === JPEG && bits !== 8) return 'its JPEG with more than 8 bits'
  if (photometric === cieLab && isFloatLab(page)) return undefined
  if ((isLab || photometric === ycbcr) && (format === 3 || (bits !== 8 && bits !== 16)))
    return 'the size of its samples'
  if (photometric === ycbcr && !page.subsampling.every((share) => SHARES.has(share))) return 'its color space'
  if (format === 3 ? ![16, 24, 32, 64].includes(bits) : bits < 1 || bits > 32) return 'the size of its samples'
  return undefined
}

/** Returns whether the samples are 32-bit floats. Only libvips writes Lab in floats. */
const isFloatLab = ({ format, bits }: TiffPage) => format === 3 && bits === 32

function isOfLibvips(page: TiffPage): boolean {
  const { photometric = blackIsZero, bits, format, samples, compression } = page
  if (compression === ZSTANDARD) return false
  if (photometric === cieLab) return format === 2 || isFloatLab(page)
  if (format === 3) return false
  if (page.isPlanar && page.chunk.isTile && samples > 1) return false
  // libvips keeps every extra sample, and a pixel then has too many channels.
  if (photometric !== palette && samples > (COLOR_SAMPLES[photometric] ?? samples) + 1) return false
  switch (photometric) {
    case whiteIsZero:
    case blackIsZero:
      return bits === 8 || bits === 16 || (samples === 1 && (bits === 1 || bits === 2 || bits === 4))
    case palette:
      return true
    case rgb:
      return bits === 8 || bits === 16
    case cmyk:
      // sharp drops the transparency of 16-bit CMYK.
      return bits === 8 || (bits === 16 && samples === 4)
    default:
      return false
  }
}

function isTooLarge({ width, height, samples, bits, chunk }: TiffPage): boolean {
  if (chunk.width < 1 || chunk.height < 1) return true
  const pixels = Math.max(width, chunk.width) * chunk.height
  const isBeyond = chunk.isTile && pixels > Math.max(4 * width * height, SMALL_TILES)
  return isBeyond || (pixels * samples * bits) / 8 > MAX_STRIP_BYTES
}

const SMALL_TILES = 16_000_000
const MAX_STRIP_BYTES = 1_300_000_000

export const notSupported = (feature: string) =>
  new RequestFailure(
    'processing_failed',
    `This TIFF image uses an unsupported feature: ${feature}. Save it with 8 or 16 bits per channel and LZW compression, or as PNG, and send that.`,
  )
