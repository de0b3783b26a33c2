import type { RequestId } from '@mediamill/contract/domain/ids'
import type { SegmentWatch } from '../../requests/parts/wait-for-segments.ts'

export type Parts = {
  workerId: string
  thresholdMs: number
  waitedFor: Set<RequestId>
  watch: SegmentWatch
  wake: () => void
}
