import sharp from 'sharp'
import { allowFormats } from '../image/loaders.ts'
import { serveJobs } from '../serve.ts'
import { PdfiumThread } from './pdfium-thread.ts'
import { processDocument } from './process.ts'
import { snapshotDocument } from './snapshot.ts'

// As in the image engine: files never repeat, and one job runs at a time in each process.
sharp.cache(false)
sharp.concurrency(1)
allowFormats([])

const thread = await PdfiumThread.start()

serveJobs({
  'documents/read': async ({ input }) => ({
    data: await thread.run({ call: 'read', file: input }),
    files: [],
    units: 1,
  }),
  'documents/process': (job) => processDocument(thread, job),
  'documents/snapshot': (job) => snapshotDocument(thread, job),
})
