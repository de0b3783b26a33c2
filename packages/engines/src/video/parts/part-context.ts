import type { PartExtras, PartsPlan } from '@mediamill/media/plan/video-parts'
import type { JobOf } from '../../protocol/messages.ts'
import type { AskWorker } from '../../protocol/serve.ts'

export type PartJob = JobOf<'videos/process'> & { parameters: PartExtras }

export type PartContext = {
  job: PartJob
  plan: PartsPlan
  ask: AskWorker
  onShare: (share: number) => void
}
