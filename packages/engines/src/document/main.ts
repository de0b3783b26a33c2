import { THUMBNAIL_TASK } from '@mediamill/contract/domain/drawn/thumbnail'
import sharp from 'sharp'
import { serveJobs } from '../protocol/serve.ts'
import { allowFormats } from '../sharp/loaders.ts'
import { PdfiumKeeper } from './pdfium/pdfium-keeper.ts'
import { processDocument } from './process.ts'
import { readDocument } from './read.ts'
import { snapshotDocument } from './snapshot.ts'
import { drawThumbnail } from './thumbnail.ts'

// As in the image engine: files never repeat, and one job runs at a time in each process.
sharp.cache(false)
sharp.concurrency(1)
allowFormats([])

const keeper = await PdfiumKeeper.start()

serveJobs<'documents'>(
  {
    'documents/process': (job, _report, ask) => processDocument(keeper, job, ask),
    'documents/read': (job) => readDocument(keeper, job),
    'documents/snapshot': (job) => snapshotDocument(keeper, job),
  },
  { [THUMBNAIL_TASK]: (job) => drawThumbnail(keeper, job) },
)
