import { formatCount } from '@mediamill/contract/lib/format-text'
import type { Sql } from '../../db/connection/connect.ts'
import { countSegments } from '../../db/segments/count-segments.ts'
import type { Finding } from './finding.ts'
import { good, warning } from './finding.ts'

/** If segments wait but none runs, the check warns when the oldest split video reaches this age. */
const LONG_SECONDS = 120

export async function checkSegments(sql: Sql): Promise<Finding> {
  const { videos, workers, waiting, running, done, oldestSeconds } = await countSegments(sql)
  if (videos === 0) return good('long videos', 'no video is split at the moment')
  const since = `the oldest for ${Math.round(oldestSeconds)} s`
  const counts = `${done} segments done, ${running} running on ${formatCount(workers, 'worker')}, ${waiting} waiting`
  const message = `${videos} split, ${since}: ${counts}`
  if (running > 0 || waiting === 0 || oldestSeconds < LONG_SECONDS) return good('long videos', message)
  const remedy =
    'Check that video workers are running. The worker that holds a video processes its remaining segments itself.'
  return warning('long videos', message, remedy)
}
