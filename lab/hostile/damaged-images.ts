import type { HostileFile } from './hostile-file.ts'
import { validImages } from './valid-files.ts'

/**
 * For each cut, the formats whose header is readable in the truncated file. sharp writes the directory of a TIFF near
 * the end of the file.
 */
const READABLE: Record<string, readonly string[]> = {
  'in-its-header': ['PNG', 'GIF'],
  'in-the-middle': ['JPEG', 'PNG', 'GIF', 'WEBP', 'BMP', 'AVIF'],
  'before-its-end': ['JPEG', 'PNG', 'GIF', 'WEBP', 'TIFF', 'BMP', 'HEIC', 'AVIF'],
}

/** Returns truncated files of every format: cut after the first bytes, in the middle, and shortly before the end. */
export async function damagedImages(): Promise<HostileFile[]> {
  return Object.entries(await validImages()).flatMap(([format, whole]) => {
    const cuts = {
      'in-its-header': whole.subarray(0, 26),
      'in-the-middle': whole.subarray(0, Math.floor(whole.length * 0.7)),
      'before-its-end': whole.subarray(0, Math.floor(whole.length * 0.95)),
    }
    return Object.entries(cuts).map(([where, bytes]): HostileFile => {
      const name = `cut-${where}.${format.toLowerCase()}`
      const read = READABLE[where]?.includes(format) === true ? 'succeeded' : 'processing_failed'
      // Request all frames of an animation, because the cut may be after its first frame.
      const output = format === 'GIF' || format === 'WEBP' ? 'gif' : 'jpg'
      return { name, media: 'image', bytes, read, process: 'processing_failed', output }
    })
  })
}
