import { isOwnThumbnail, isSmallFile, thumbnailSize } from '@mediamill/contract/domain/drawn/thumbnail'
import { OUTPUT } from '@mediamill/contract/domain/media'
import sharp from 'sharp'

import type { EngineJob, EngineResult, JobOf } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'
import { makeThumbnail } from '../sharp/thumbnail.ts'

import type { PagePicture } from './draw-page.ts'
import { drawPage } from './draw-page.ts'
import type { PdfiumKeeper } from './pdfium/pdfium-keeper.ts'
import { shrinkPage } from './shrink-page.ts'

// Without optimised tables: they take twice as long as all the rest of the encoding, for a file 10 % smaller.
const JPEG = { quality: 80, optimiseCoding: false }

/** Makes a picture of one page: the task `documents/snapshot`. */
export async function snapshotDocument(
  keeper: PdfiumKeeper,
  job: JobOf<'documents/snapshot'>,
): Promise<EngineResult<'documents/snapshot'>> {
  const { page, output } = job.parameters
  const { width, height, pixels } = await keeper.run((pdfium) =>
    drawPage(pdfium, job.input, page, job.limits.maxFramePixels),
  )
  const image = () => sharp(pixels, { raw: { width, height, channels: 3 }, limitInputPixels: false })
  const encoded = await (output.format === 'jpg' ? image().jpeg(JPEG) : image().png()).toBuffer()
  const wayOut = 'As output.format, jpg makes the smallest file.'
  const file = writeResult(job, output.format, { parts: [encoded], wayOut })
  const format = OUTPUT.image[output.format].name
  const size = { width, height }
  const isShown = isOwnThumbnail(output.format, size) || isSmallFile(output.format, size, file.size)
  const small = job.thumbnail === true && !isShown ? await makeSmall(job, { width, height, pixels }) : {}
  return { data: { width, height, format, size: file.size, page }, files: [file], units: 1, ...small }
}

async function makeSmall(job: EngineJob, page: PagePicture) {
  const size = thumbnailSize(page)
  return await makeThumbnail(job, sharp(shrinkPage(page, size), { raw: { ...size, channels: 3 } }), page)
}
