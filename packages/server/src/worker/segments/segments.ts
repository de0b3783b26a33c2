import type { RequestId } from '@mediamill/contract/domain/ids'
import type { SparseFile } from '../../outbound/fetch/source-file.ts'
import type { SegmentWatch } from '../../requests/segments/wait-for-segments.ts'

/** A source that an attempt fetches in full for all segments. The signal aborts before the attempt closes the file. */
export type SharedSource = { file: Required<Pick<SparseFile, 'size' | 'fetch' | 'read'>>; signal: AbortSignal }

export type Segments = {
  workerId: string
  thresholdMs: number
  awaitedRequests: Set<RequestId>
  sharedSources: Map<RequestId, SharedSource>
  watch: SegmentWatch
  wake: () => void
}
