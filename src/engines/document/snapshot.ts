import { join } from 'node:path'
import sharp from 'sharp'
import type { EngineDone, EngineJob } from '../messages.ts'
import type { PdfiumThread } from './pdfium-thread.ts'
import { saveResult } from './result.ts'

const JPEG_QUALITY = 80

/** Makes a picture of one page: the task `documents/snapshot`. */
export async function snapshotDocument(thread: PdfiumThread, job: EngineJob): Promise<EngineDone> {
  const { page, output } = job.parameters as { page: number; output: { format: 'jpg' | 'png' } }
  const drawn = await thread.run({ call: 'draw', file: job.input, page, maxPixels: job.limits.maxFramePixels })
  const { width, height, pixels } = drawn
  const image = sharp(pixels, { raw: { width, height, channels: 3 }, limitInputPixels: false })
  const encoded = await (output.format === 'jpg' ? image.jpeg({ quality: JPEG_QUALITY }) : image.png()).toBuffer()
  const file = await saveResult(join(job.scratch, `result.${output.format}`), output.format, [encoded])
  const format = output.format === 'jpg' ? 'JPEG' : 'PNG'
  return { data: { width, height, format, size: file.size, page }, files: [file], units: 1 }
}
