import type { QueueState } from '../../../api/objects.ts'

export type Lane = QueueState['lanes'][number]

/** The age of the oldest request above which a lane needs attention. */
const LONG_SECONDS = 60

/** Returns whether a lane makes progress. A lane is stuck if its oldest request waits long while nothing is running. */
export function stateOf({ queued, running, oldest_seconds }: Lane): 'stuck' | 'behind' | 'moving' | 'idle' {
  if (queued > 0 && oldest_seconds >= LONG_SECONDS) return running === 0 ? 'stuck' : 'behind'
  return queued + running === 0 ? 'idle' : 'moving'
}
