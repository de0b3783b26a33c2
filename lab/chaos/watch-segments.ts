import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '@mediamill/server/db/connection/connect'
import type { GuaranteeResult } from './guarantees.ts'

/** The split videos by request id: the number of segments, and the attempts of all segments and of the request. */
export type SegmentsSeen = Map<number, { parts: number; attempts: number; requestAttempts: number }>

const LOOK_MS = 200

/** Records split videos until the signal aborts. Polls, because the service deletes segments when a request ends. */
export async function watchSegmentsOf(sql: Sql, signal: AbortSignal): Promise<SegmentsSeen> {
  const seen: SegmentsSeen = new Map()
  while (!signal.aborted) {
    for (const { id, ...now } of await look(sql).catch(() => [])) {
      const before = seen.get(id)
      seen.set(id, { ...now, attempts: Math.max(now.attempts, before?.attempts ?? 0) })
    }
    await delay(LOOK_MS)
  }
  return seen
}

type Look = { id: number; parts: number; attempts: number; requestAttempts: number }

const look = (sql: Sql) => sql<Look[]>`
  select l.request_id as id, count(*)::integer as parts, sum(p.attempt)::integer as attempts,
    max(r.attempt)::integer as "requestAttempts"
  from part_plans l join video_parts p on p.request_id = l.request_id join requests r on r.id = l.request_id
  group by l.request_id`

export function checkSegments(seen: SegmentsSeen): GuaranteeResult {
  return {
    guarantee: 'a long video was split into at least 4 segments',
    violations: [...seen.values()].some(({ parts: segments }) => segments >= 4)
      ? []
      : [`${seen.size} videos were split, none into 4 or more segments`],
  }
}

export function describeSegments(seen: SegmentsSeen): string {
  const all = [...seen.values()]
  const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0)
  const taken = all.filter(({ requestAttempts }) => requestAttempts > 1).length
  const [segments, attempts] = [sum((one) => one.parts), sum((one) => one.attempts)]
  return `${seen.size} videos with ${segments} segments and ${attempts} attempts; ${taken} videos were taken over`
}
