import type { QueueState } from '../../../api/objects.ts'

export type Lane = QueueState['lanes'][number]

/** How long the oldest of a lane may wait before it is worth a look. */
const LONG_SECONDS = 60

/** Tells whether the work of a lane moves. In a stuck one requests wait long, and none runs. */
export function stateOf({ queued, running, oldest_seconds }: Lane): 'stuck' | 'behind' | 'moving' | 'idle' {
  if (queued > 0 && oldest_seconds >= LONG_SECONDS) return running === 0 ? 'stuck' : 'behind'
  return queued + running === 0 ? 'idle' : 'moving'
}
