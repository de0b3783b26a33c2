import type { Sql } from '../../db/connection/connect.ts'
import type { PartCounts } from '../../db/parts/metrics.ts'
import { countParts } from '../../db/parts/metrics.ts'
import type { Finding } from './finding.ts'
import { good, warning } from './finding.ts'

/** Parts that nobody makes for so long are worth a word: the worker that waits for them makes them else. */
const LONG_SECONDS = 120

/** Says how long videos do that many workers make in parts. */
export async function judgeParts(sql: Sql): Promise<Finding> {
  return describeParts(await countParts(sql))
}

/** Words what is in parts, and warns of parts that nobody makes. */
export function describeParts(parts: PartCounts): Finding {
  const { videos, workers, waiting, running, done, oldestSeconds } = parts
  if (videos === 0) return good('long videos', 'none is made in parts at the moment')
  const since = `the oldest for ${Math.round(oldestSeconds)} s`
  const counts = `${done} parts made, ${running} in work at ${workers} ${workers === 1 ? 'worker' : 'workers'}, ${waiting} waiting`
  const says = `${videos} in parts, ${since}: ${counts}`
  if (running > 0 || waiting === 0 || oldestSeconds < LONG_SECONDS) return good('long videos', says)
  const remedy =
    'Check that workers run that take videos, and the worker that holds them: it makes parts that nobody else does.'
  return warning('long videos', says, remedy)
}
