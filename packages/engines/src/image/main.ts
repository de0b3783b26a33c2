import { STAMP_TASK } from '@mediamill/contract/domain/rendering/stamp'
import sharp from 'sharp'
import { serveJobs } from '../protocol/serve.ts'
import { allowFormats } from '../sharp/loaders.ts'
import { processImage } from './process.ts'
import { readImage } from './read.ts'
import { drawStamp } from './stamp/draw-stamp.ts'

// A process runs one job, so threads would slow other processes.
sharp.concurrency(1)
allowFormats([])

serveJobs<'images'>({ 'images/process': processImage, 'images/read': readImage }, { [STAMP_TASK]: drawStamp })
