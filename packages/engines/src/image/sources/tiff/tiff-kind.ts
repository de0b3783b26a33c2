import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { TiffPage } from '@mediamill/media/formats/tiff/tiff-page'

/** PhotometricInterpretation. */
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

/** How many samples a colour has. */
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
/** Uncompressed, LZW, both numbers of deflate, PackBits, Zstandard. */
const OWN_COMPRESSIONS: ReadonlySet<number> = new Set([1, 5, 8, 32_773, 32_946, 50_000])
const ZSTANDARD = 50_000

/**
 * Decides who decodes a TIFF. It is libvips where it gives the right pixels, which was tried on each kind, and our own
 * code elsewhere.
 *
 * Throws `processing_failed` for a kind that neither has right. libvips takes YCbCr and Lab of 8 bits for red, green and
 * blue, or refuses them as damaged, floats for linear light and integers of 32 bits for bytes; and it has no samples of
 * 6, 10, 12, 14 or 24 bits and no planes in tiles.
 */
export function decoderOf(page: TiffPage): 'libvips' | 'own' {
  const { photometric, compression } = page
  // Without a photometric the picture is a mask, a thumbnail's, or fax: libvips judges by its other fields.
  if (photometric === undefined) return 'libvips'
  const what = oddityOf(page)
  if (what !== undefined) throw notSupported(what)
  if (compression === JPEG || isOfLibvips(page)) return 'libvips'
  if (isTooLarge(page)) throw notSupported('the size of its strips or tiles')
  if (!OWN_COMPRESSIONS.has(compression)) throw notSupported('its compression')
  return 'own'
}

const MOST_SAMPLES = 16
const SHARES: ReadonlySet<number> = new Set([1, 2, 4])

/** What the page has that nobody decodes right. */
function oddityOf(page: TiffPage): string | undefined {
  const { photometric = blackIsZero, compression, bits, format, samples } = page
  const colors = COLOR_SAMPLES[photometric]
  if (colors === undefined) return 'its colour space'
  if (compression === OLD_JPEG) return 'its JPEG compression, which is of the old kind'
  // More than a few are measurements of a scientific instrument.
  if (samples < colors || samples > MOST_SAMPLES) return 'its number of samples'
  if (!page.isUniform) return 'its samples of unlike sizes'
  const isLab = photometric === cieLab || photometric === iccLab
  // libvips writes Lab of 16 bits as signed, and means the white that it reads.
  if (format === 2 && !(isLab && bits === 16)) return 'its signed samples'
  if (photometric === cmyk && page.inkSet !== 1) return 'its inks, which are not CMYK'
  if (isLab && compression === JPEG) return 'its Lab colours in a JPEG'
  if (compression === JPEG && bits !== 8) return 'its JPEG of more than 8 bits'
  if (photometric === cieLab && isFloatLab(page)) return undefined
  if ((isLab || photometric === ycbcr) && (format === 3 || (bits !== 8 && bits !== 16)))
    return 'the size of its samples'
  if (photometric === ycbcr && !page.subsampling.every((share) => SHARES.has(share))) return 'its colour space'
  if (format === 3 ? ![16, 24, 32, 64].includes(bits) : bits < 1 || bits > 32) return 'the size of its samples'
  return undefined
}

/** As libvips writes it, and nobody else. */
const isFloatLab = ({ format, bits }: TiffPage) => format === 3 && bits === 32

function isOfLibvips(page: TiffPage): boolean {
  const { photometric = blackIsZero, bits, format, samples, compression } = page
  if (compression === ZSTANDARD) return false
  if (photometric === cieLab) return format === 2 || isFloatLab(page)
  if (format === 3) return false
  if (page.isPlanar && page.chunk.isTile && samples > 1) return false
  switch (photometric) {
    case whiteIsZero:
    case blackIsZero:
      return bits === 8 || bits === 16 || (samples === 1 && (bits === 1 || bits === 2 || bits === 4))
    case palette:
      return true
    case rgb:
      return bits === 8 || bits === 16
    case cmyk:
      // sharp loses the transparency of CMYK of 16 bits.
      return bits === 8 || (bits === 16 && samples === 4)
    default:
      return false
  }
}

/** Whether a row of tiles, or a strip, is more than an engine has room for, or is nothing at all. */
function isTooLarge({ width, height, samples, bits, chunk }: TiffPage): boolean {
  if (chunk.width < 1 || chunk.height < 1) return true
  const pixels = Math.max(width, chunk.width) * chunk.height
  const isBeyond = chunk.isTile && pixels > Math.max(4 * width * height, SMALL_TILES)
  return isBeyond || (pixels * samples * bits) / 8 > MOST_STRIP_BYTES
}

const SMALL_TILES = 16_000_000
const MOST_STRIP_BYTES = 1_300_000_000

export const notSupported = (what: string) =>
  new RequestFailure(
    'processing_failed',
    `The TIFF picture is of a rare kind that is not supported, because of ${what}. Save it with 8 or 16 bits a channel and LZW compression, or as PNG, and send that.`,
  )
