import { PART_TASKS } from '@mediamill/media/plan/video-parts'
import { serveJobs } from '../protocol/serve.ts'
import { joinParts } from './parts/join-parts.ts'
import { makePart } from './parts/make-part.ts'
import { planParts } from './parts/plan-parts.ts'
import { processVideo } from './process.ts'
import { readVideo } from './read.ts'
import { screenshotVideo } from './screenshot.ts'

serveJobs<'videos'>(
  { 'videos/process': processVideo, 'videos/read': readVideo, 'videos/screenshot': screenshotVideo },
  { [PART_TASKS.plan]: planParts, [PART_TASKS.part]: makePart, [PART_TASKS.join]: joinParts },
)
