import type { RequestId } from '@mediamill/contract/domain/ids'
import type { SegmentWatch } from '../../requests/parts/wait-for-segments.ts'

/** The shared state of split videos in one worker. */
export type Parts = {
  workerId: string
  /** Longer videos are split if other workers have free slots. */
  thresholdMs: number
  /** Requests of this worker that wait for their segments. */
  waitedFor: Set<RequestId>
  watch: SegmentWatch
  /** Wakes the segment loops of all machines, this worker's first. */
  wake: () => void
}
