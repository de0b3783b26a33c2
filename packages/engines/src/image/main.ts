import { STAMP_TASK } from '@mediamill/contract/domain/drawn/stamp'
import sharp from 'sharp'
import { serveJobs } from '../protocol/serve.ts'
import { allowFormats } from '../sharp/loaders.ts'
import { processImage } from './process.ts'
import { readImage } from './read.ts'
import { drawStamp } from './stamp/draw-stamp.ts'

// Sources never repeat, so libvips' cache of operations would only hold memory; and one job runs at a time in each
// process, so threads inside it would take cores from the others.
sharp.cache(false)
sharp.concurrency(1)
allowFormats([])

serveJobs<'images'>({ 'images/process': processImage, 'images/read': readImage }, { [STAMP_TASK]: drawStamp })
