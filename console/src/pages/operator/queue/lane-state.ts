import type { QueueState } from '../../../api/objects.ts'
import { formatName } from '../../../components/format.ts'

export type Lane = QueueState['lanes'][number]

const NAMES: Record<string, string> = {
  image: 'Images',
  document: 'PDFs',
  video: 'Videos',
  video_look: 'Video reads',
}

/** Returns the displayed name of a lane. A newer API server may have other lanes. */
export const nameOfLane = (lane: string) => NAMES[lane] ?? formatName(lane)

/** The wait of a lane's oldest request, in seconds, from which the lane needs attention. */
const LONG_SECONDS = 60

/** Returns the state of a lane. If its oldest request waits too long, it is `behind`, or `stuck` if nothing runs. */
export function stateOf({ queued, running, oldest_seconds }: Lane): 'stuck' | 'behind' | 'moving' | 'idle' {
  if (queued > 0 && oldest_seconds >= LONG_SECONDS) return running === 0 ? 'stuck' : 'behind'
  return queued + running === 0 ? 'idle' : 'moving'
}
