import type { RequestId } from '@mediamill/contract/domain/ids'

/** What those share that make long videos in parts in one worker. */
export type Parts = {
  workerId: string
  /** Videos longer than this go in parts, where other workers have places free. */
  thresholdMs: number
  /** Requests of this worker whose parts it waits for. */
  waitedFor: Set<RequestId>
  /** Has the workers of all machines, this one first, look for parts. */
  wake: () => void
}
