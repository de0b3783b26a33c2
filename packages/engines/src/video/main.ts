import { SEGMENT_TASKS } from '@mediamill/media/plan/video-segments'
import { serveJobs } from '../protocol/serve.ts'
import { processVideo } from './process.ts'
import { readVideo } from './read.ts'
import { screenshotVideo } from './screenshot.ts'
import { joinSegments } from './segments/join-segments.ts'
import { makeSegment } from './segments/make-segment.ts'
import { planSegments } from './segments/plan-segments.ts'

serveJobs<'videos'>(
  { 'videos/process': processVideo, 'videos/read': readVideo, 'videos/screenshot': screenshotVideo },
  { [SEGMENT_TASKS.plan]: planSegments, [SEGMENT_TASKS.part]: makeSegment, [SEGMENT_TASKS.join]: joinSegments },
)
