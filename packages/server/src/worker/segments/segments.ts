import type { RequestId } from '@mediamill/contract/domain/ids'
import type { SegmentWatch } from '../../requests/segments/wait-for-segments.ts'

export type Segments = {
  workerId: string
  thresholdMs: number
  waitedFor: Set<RequestId>
  watch: SegmentWatch
  wake: () => void
}
