import type { PartExtras, PartsPlan } from '@mediamill/media/plan/video-parts'
import type { JobOf } from '../../protocol/messages.ts'
import type { AskWorker } from '../../protocol/serve.ts'

export type PartJob = JobOf<'videos/process'> & { parameters: PartExtras }

export type PartContext = {
  job: PartJob
  plan: PartsPlan
  ask: AskWorker
  /** Called with the completed share of the part, 0 to 1. */
  onShare: (share: number) => void
}
