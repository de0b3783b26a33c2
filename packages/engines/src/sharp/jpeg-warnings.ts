import type { Sharp } from 'sharp'
import sharp from 'sharp'

// A decoder reports its warnings when it is freed, but libvips' operation cache would keep it.
sharp.cache(false)

/**
 * libjpeg's warnings as libvips logs them: `read gave 1 warnings`, then the first. Check them after decoding, because
 * libvips can only fail on all warnings or none, and never on warnings of the last rows.
 */
export type JpegWarnings = string[]

export function collectWarnings(image: Sharp, into: JpegWarnings): Sharp {
  return image.on('warning', (text: string) => into.push(text))
}

// Header errors that affect no pixel: parameters of progressive scans, and undefined versions and transforms.
const HARMLESS = /Invalid SOS parameters for sequential JPEG|unknown JFIF revision number|Unknown Adobe color transform/
const EXTRANEOUS = /\b(\d+) extraneous bytes before marker 0x([0-9a-f]{2})/

/** Returns the first warning that means damage. libvips logs only one text per pass, so several count as damage. */
export function damageIn(warnings: JpegWarnings): string | undefined {
  return warnings.flatMap((text) => text.split('\n')).find((line) => isOfJpeg(line) && !isHarmless(line))
}

// Other warnings concern the profile and metadata, which do not affect pixels.
const isOfJpeg = (line: string) => line.startsWith('VipsJpeg:') || line.startsWith('read gave')

function isHarmless(line: string): boolean {
  const [, passed] = /^read gave (\d+) warnings$/.exec(line) ?? []
  if (passed !== undefined) return Number(passed) <= 1
  const [, bytes, marker] = EXTRANEOUS.exec(line) ?? []
  if (bytes === undefined || marker === undefined) return HARMLESS.test(line)
  return Number(bytes) <= MAX_PADDING_BYTES || !AFTER_SCANS.has(marker)
}

// libjpeg skips bytes before a marker. Before these, only padding is harmless: longer data may be a lost scan.
const MAX_PADDING_BYTES = 16
const AFTER_SCANS: ReadonlySet<string> = new Set(['c4', 'd9', 'da', 'dd'])
