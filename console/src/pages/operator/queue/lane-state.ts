import type { QueueState } from '../../../api/objects.ts'
import { formatName } from '../../../components/format.ts'

export type Lane = QueueState['lanes'][number]

const NAMES: Record<string, string> = {
  image: 'Images',
  document: 'PDFs',
  video: 'Videos',
  video_look: 'Video reads',
}

/** Returns the name of a lane for people. A newer API server may list other lanes. */
export const nameOfLane = (lane: string) => NAMES[lane] ?? formatName(lane)

/** The age of the oldest request, in seconds, above which a lane needs attention. */
const LONG_SECONDS = 60

/** A lane whose oldest request waits for long is `behind`, or `stuck` if no request is running. */
export function stateOf({ queued, running, oldest_seconds }: Lane): 'stuck' | 'behind' | 'moving' | 'idle' {
  if (queued > 0 && oldest_seconds >= LONG_SECONDS) return running === 0 ? 'stuck' : 'behind'
  return queued + running === 0 ? 'idle' : 'moving'
}
