import { OUTPUT } from '@mediamill/contract/domain/media'
import sharp from 'sharp'
import type { EngineResult, JobOf } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'
import { drawPage } from './draw-page.ts'
import type { PdfiumPool } from './pdfium/pdfium-pool.ts'

// Optimizing the Huffman tables would take two thirds of the encoding time.
const JPEG = { quality: 80, optimiseCoding: false }

export async function snapshotDocument(
  pool: PdfiumPool,
  job: JobOf<'documents/snapshot'>,
): Promise<EngineResult<'documents/snapshot'>> {
  const { page, output } = job.parameters
  const { width, height, pixels } = await pool.run((pdfium) =>
    drawPage(pdfium, job.input, page, job.limits.maxFramePixels),
  )
  const image = () => sharp(pixels, { raw: { width, height, channels: 3 }, limitInputPixels: false })
  const encoded = await (output.format === 'jpg' ? image().jpeg(JPEG) : image().png()).toBuffer()
  const fix = 'Use output.format jpg, which makes the smallest file.'
  const file = writeResult(job, output.format, { parts: [encoded], fix })
  const format = OUTPUT.image[output.format].name
  return { data: { width, height, format, size: file.size, page }, files: [file], units: 1 }
}
