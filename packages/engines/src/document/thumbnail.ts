import { thumbnailSize } from '@mediamill/contract/domain/drawn/thumbnail'
import sharp from 'sharp'
import type { EngineDone, EngineJob } from '../protocol/messages.ts'
import { makeThumbnail } from '../sharp/thumbnail.ts'
import { drawPage } from './draw-page.ts'
import type { PdfiumKeeper } from './pdfium/pdfium-keeper.ts'

/**
 * Draws the first page of a document as a thumbnail: the task `documents/thumbnail`.
 *
 * PDFium draws it small at once, with its own smoothing: a page of 150 dots an inch would be fifty times the pixels.
 */
export async function drawThumbnail(keeper: PdfiumKeeper, job: EngineJob): Promise<EngineDone> {
  const { width, height, pixels } = await keeper.run((pdfium) =>
    drawPage(pdfium, job.input, 1, job.limits.maxFramePixels, thumbnailSize),
  )
  const image = sharp(pixels, { raw: { width, height, channels: 3 } })
  return { data: {}, files: [], units: 1, ...(await makeThumbnail(job, image, { width, height })) }
}
