import type { RequestId } from '@mediamill/contract/domain/ids'
import type { SegmentWatch } from '../../requests/parts/wait-for-segments.ts'

export type Parts = {
  workerId: string
  /** Videos longer than this are split if other workers have free slots. */
  thresholdMs: number
  waitedFor: Set<RequestId>
  watch: SegmentWatch
  /** Wakes the segment loops of all machines, starting with this worker's loop. */
  wake: () => void
}
