import sharp from 'sharp'
import { serveJobs } from '../protocol/serve.ts'
import { allowFormats } from '../sharp/loaders.ts'
import { PdfiumPool } from './pdfium/pdfium-pool.ts'
import { processDocument } from './process.ts'
import { readDocument } from './read.ts'
import { snapshotDocument } from './snapshot.ts'

// A process runs one job, so threads would slow other processes.
sharp.concurrency(1)
allowFormats([])

const pool = await PdfiumPool.start()

serveJobs<'documents'>({
  'documents/process': (job, _report, callWorker) => processDocument(pool, job, callWorker),
  'documents/read': (job) => readDocument(pool, job),
  'documents/snapshot': (job) => snapshotDocument(pool, job),
})
