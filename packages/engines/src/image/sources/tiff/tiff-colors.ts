import type { Xyz } from '@mediamill/media/formats/icc-profile'
import type { TiffPage } from '@mediamill/media/formats/tiff/tiff-page'
import type { Matrix } from '../../../sharp/chromaticities.ts'
import { fromWhite } from '../../../sharp/chromaticities.ts'
import { toSrgb } from '../../../sharp/toned.ts'
import { PHOTOMETRIC } from './tiff-kind.ts'

/** Converts a row in place. Values are 0 to 65,535. `step` is the number of values per pixel. */
type ConvertRow = (values: Uint16Array, step: number) => void

export function converterOf(page: TiffPage): ConvertRow | undefined {
  switch (page.photometric ?? PHOTOMETRIC.blackIsZero) {
    case PHOTOMETRIC.whiteIsZero:
      return (values, step) => {
        for (let at = 0; at < values.length; at += step) values[at] = 65_535 - (values[at] ?? 0)
      }
    case PHOTOMETRIC.ycbcr:
      return fromYcbcr(page)
    case PHOTOMETRIC.cieLab:
    case PHOTOMETRIC.iccLab:
      return fromLab(page)
    default:
      return undefined
  }
}

/** Returns a converter from YCbCr (TIFF 6.0, section 21). The default is ITU-R BT.601. */
function fromYcbcr({ coefficients, referenceBlackWhite, bits }: TiffPage): ConvertRow {
  const [red = 0.299, green = 0.587, blue = 0.114] = isUsable(coefficients, 3) ? coefficients : []
  const maxValue = 2 ** bits - 1
  const middle = 2 ** (bits - 1)
  const stated = isUsable(referenceBlackWhite, 6) ? referenceBlackWhite : []
  const [y0 = 0, y1 = maxValue, cb0 = middle, cb1 = maxValue, cr0 = middle, cr1 = maxValue] = stated
  // Color differences use half of the range of a sample.
  const half = maxValue - middle
  const scaleY = 1 / (y1 - y0 || maxValue)
  const scaleCb = (half / maxValue) * (1 / (cb1 - cb0 || half))
  const scaleCr = (half / maxValue) * (1 / (cr1 - cr0 || half))
  return (values, step) => {
    for (let at = 0; at < values.length; at += step) {
      const y = (((values[at] ?? 0) / 65_535) * maxValue - y0) * scaleY
      const cb = (((values[at + 1] ?? 0) / 65_535) * maxValue - cb0) * scaleCb
      const cr = (((values[at + 2] ?? 0) / 65_535) * maxValue - cr0) * scaleCr
      const r = y + cr * (2 - 2 * red)
      const b = y + cb * (2 - 2 * blue)
      values[at] = toWord(r)
      values[at + 1] = toWord((y - red * r - blue * b) / green)
      values[at + 2] = toWord(b)
    }
  }
}

const isUsable = (numbers: readonly number[], count: number) =>
  numbers.length === count && numbers.every((number) => Number.isFinite(number)) && numbers.some((number) => number > 0)

const toWord = (value: number) => (value > 0 ? Math.round(Math.min(1, value) * 65_535) : 0)

/** Returns a converter from L*a*b* (TIFF 6.0, section 23). ICC L*a*b* has unsigned values. */
function fromLab({ photometric, bits, whitePoint }: TiffPage): ConvertRow {
  const [x = 0, y = 0] = whitePoint
  const isStated = whitePoint.length === 2 && x > 0 && y > 0 && x + y < 1
  const white: Xyz = isStated ? [x / y, 1, (1 - x - y) / y] : [0.9642, 1, 0.82491]
  const mix = fromWhite(white)
  const isIcc = photometric === PHOTOMETRIC.iccLab
  // In 16-bit ICC Lab, lightness 100 is 0xff00. In TIFF Lab, it is the full range.
  const lightUnit = isIcc && bits === 16 ? 100 / 65_280 : 100 / 65_535
  const sign = (value: number) => (value >= 32_768 ? value - 65_536 : value)
  // An 8-bit value is in whole units, and a 16-bit value in 1/256.
  const part = (value: number) => {
    if (bits === 8) return isIcc ? value / 257 - 128 : sign((value / 257) * 256) / 256
    return (isIcc ? value - 32_768 : sign(value)) / 256
  }
  return (values, step) => {
    for (let at = 0; at < values.length; at += step) {
      const fy = ((values[at] ?? 0) * lightUnit + 16) / 116
      const fx = fy + part(values[at + 1] ?? 0) / 500
      const fz = fy - part(values[at + 2] ?? 0) / 200
      writeSrgb(values, at, mix, white[0] * lightOf(fx), lightOf(fy), white[2] * lightOf(fz))
    }
  }
}

const lightOf = (f: number) => (f > 6 / 29 ? f ** 3 : (f - 4 / 29) * 3 * (6 / 29) ** 2)

function writeSrgb(values: Uint16Array, at: number, mix: Matrix, x: number, y: number, z: number): void {
  const [red, green, blue] = mix
  values[at] = toSrgb(red[0] * x + red[1] * y + red[2] * z) * 257
  values[at + 1] = toSrgb(green[0] * x + green[1] * y + green[2] * z) * 257
  values[at + 2] = toSrgb(blue[0] * x + blue[1] * y + blue[2] * z) * 257
}
