import type { Sharp } from 'sharp'
import sharp from 'sharp'

// A decoder tells its warnings when it is freed, which libvips' cache of operations would put off.
sharp.cache(false)

/**
 * The warnings of libjpeg while it decoded a picture, in libvips' words. They are `read gave 1 warnings`, then the text
 * of the first one.
 *
 * Warnings are judged afterwards, because libvips can only fail on all of them or on none, and those of the last rows
 * it never fails on.
 */
export type JpegWarnings = string[]

/** Notes what the decoder warns of from now on. */
export function collectWarnings(image: Sharp, into: JpegWarnings): Sharp {
  return image.on('warning', (text: string) => into.push(text))
}

// Oddities of headers that cost no pixel: scan parameters that only progressive pictures use, versions and transforms
// that nobody defined.
const HARMLESS = /Invalid SOS parameters for sequential JPEG|unknown JFIF revision number|Unknown Adobe color transform/
const EXTRANEOUS = /\b(\d+) extraneous bytes before marker 0x([0-9a-f]{2})/

/**
 * Says what is broken by these warnings. Returns `undefined` when the picture is whole all the same.
 *
 * Only the first warning of a pass has a text, so any pass with more than one is not trusted.
 */
export function damageIn(warnings: JpegWarnings): string | undefined {
  return warnings.flatMap((text) => text.split('\n')).find((line) => isOfJpeg(line) && !isHarmless(line))
}

// Others are of its profile and metadata, which pixels can do without.
const isOfJpeg = (line: string) => line.startsWith('VipsJpeg:') || line.startsWith('read gave')

function isHarmless(line: string): boolean {
  const [, passed] = /^read gave (\d+) warnings$/.exec(line) ?? []
  if (passed !== undefined) return Number(passed) <= 1
  const [, bytes, marker] = EXTRANEOUS.exec(line) ?? []
  if (bytes === undefined || marker === undefined) return HARMLESS.test(line)
  return Number(bytes) <= MAX_PADDING_BYTES || !AFTER_SCANS.has(marker)
}

// Bytes between two headers are skipped. Before a marker that follows a scan they may be what the scan lost its way
// in: only padding is believed there.
const MAX_PADDING_BYTES = 16
const AFTER_SCANS: ReadonlySet<string> = new Set(['c4', 'd9', 'da', 'dd'])
