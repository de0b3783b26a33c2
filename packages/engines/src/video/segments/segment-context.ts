import type { SegmentExtras, SegmentsPlan } from '@mediamill/media/plan/video-segments'
import type { JobOf } from '../../protocol/messages.ts'
import type { CallWorker } from '../../protocol/serve.ts'

export type SegmentJob = JobOf<'videos/process'> & { parameters: SegmentExtras }

export type SegmentContext = {
  job: SegmentJob
  plan: SegmentsPlan
  callWorker: CallWorker
  onShare: (share: number) => void
}
