import { serveJobs } from '../protocol/serve.ts'
import { processVideo } from './process.ts'
import { readVideo } from './read.ts'
import { screenshotVideo } from './screenshot.ts'

serveJobs<'videos'>({ 'videos/process': processVideo, 'videos/read': readVideo, 'videos/screenshot': screenshotVideo })
