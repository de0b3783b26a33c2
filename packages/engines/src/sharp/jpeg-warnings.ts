import type { Sharp } from 'sharp'
import sharp from 'sharp'

// A decoder reports its warnings when it is freed, which libvips' operation cache would delay. The cache would also
// waste memory, because files never repeat.
sharp.cache(false)

/**
 * libjpeg's warnings as libvips logs them: `read gave 1 warnings`, then the first warning. libvips' option `failOn`
 * also rejects harmless warnings, and misses warnings about the last rows.
 */
export type JpegWarnings = string[]

export function collectWarnings(image: Sharp, into: JpegWarnings): Sharp {
  return image.on('warning', (text: string) => into.push(text))
}

// These header errors do not change pixels.
const HARMLESS = /Invalid SOS parameters for sequential JPEG|unknown JFIF revision number|Unknown Adobe color transform/
const EXTRANEOUS = /\b(\d+) extraneous bytes before marker 0x([0-9a-f]{2})/

/** Returns the first line that reports damage. libvips logs one warning per pass, so a count above 1 means damage. */
export function damageIn(warnings: JpegWarnings): string | undefined {
  return warnings.flatMap((text) => text.split('\n')).find((line) => isOfJpeg(line) && !isHarmless(line))
}

// Other lines are about the profile or metadata.
const isOfJpeg = (line: string) => line.startsWith('VipsJpeg:') || line.startsWith('read gave')

function isHarmless(line: string): boolean {
  const [, passed] = /^read gave (\d+) warnings$/.exec(line) ?? []
  if (passed !== undefined) return Number(passed) <= 1
  const [, bytes, marker] = EXTRANEOUS.exec(line) ?? []
  if (bytes === undefined || marker === undefined) return HARMLESS.test(line)
  return Number(bytes) <= MAX_PADDING_BYTES || !AFTER_SCANS.has(marker)
}

// libjpeg skips bytes before a marker. More skipped bytes before one of these markers may be a lost scan.
const MAX_PADDING_BYTES = 16
const AFTER_SCANS: ReadonlySet<string> = new Set(['c4', 'd9', 'da', 'dd'])
