import type { QueueState } from '../../../api/objects.ts'
import { formatName } from '../../../components/format.ts'
import { text } from './text.ts'

export type Lane = QueueState['lanes'][number]

const NAMES: Record<string, string> = {
  image: text.images,
  document: text.pdfs,
  video: text.videos,
  video_look: text.videoReads,
}

/** Returns the name of a lane. A newer API server may have lanes that are not in `NAMES`. */
export const nameOfLane = (lane: string) => NAMES[lane] ?? formatName(lane)

const LONG_SECONDS = 60

export function stateOf({ queued, running, oldest_seconds }: Lane): 'stuck' | 'behind' | 'moving' | 'idle' {
  if (queued > 0 && oldest_seconds >= LONG_SECONDS) return running === 0 ? 'stuck' : 'behind'
  return queued + running === 0 ? 'idle' : 'moving'
}
