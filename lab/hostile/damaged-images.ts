import type { HostileFile } from './hostile-file.ts'
import { validImages } from './valid-files.ts'

/** The formats whose headers are complete before each cut. A TIFF by sharp has its directory near the end. */
const READABLE: Record<string, readonly string[]> = {
  'in-its-header': ['PNG', 'GIF'],
  'in-the-middle': ['JPEG', 'PNG', 'GIF', 'WEBP', 'BMP', 'AVIF'],
  'before-its-end': ['JPEG', 'PNG', 'GIF', 'WEBP', 'TIFF', 'BMP', 'HEIC', 'AVIF'],
}

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
