/**
 * Simulates the time of a long video on many machines with the real scheduler: `node lab/bench/simulate-parts.ts
 * [--minutes 60] [--part-seconds 20] [--part-ms N] [--plan-ms N] [--join-ms N] [--workers 10,100]`.
 *
 * Uses the service's rows, claims, notifications, and waits on a real PostgreSQL. An engine's work is a pause of the measured
 * time. `lab/bench/long-video.ts` measures the times and calls `simulateParts`.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { every } from '@mediamill/server/lib/time/every'
import { notify } from '@mediamill/server/queue/notifications'
import { heldVideo, made, SOURCE, videoWorker } from '@mediamill/server/requests/parts/parts-fixture'
import { writePlan } from '@mediamill/server/requests/parts/plan'
import { finishPartWithRetry } from '@mediamill/server/requests/parts/queue'
import { createSegmentWatch, waitForSegments } from '@mediamill/server/requests/parts/wait-for-segments'
import { createLog } from '@mediamill/server/telemetry/log'
import { createSegmentLoop } from '@mediamill/server/worker/parts/segment-loop'
import { createDatabase } from '../support/database.ts'

/** Measured times of one video, in milliseconds: each part with its start, its source and its storing. */
export type PartTimes = {
  planMs: number
  /** Times of the video segments, in order. */
  partsMs: readonly number[]
  /** Time of the audio segment; 0 without audio. */
  soundMs: number
  joinMs: number
}

/** The result for a fleet of workers with one slot each. */
export type Simulated = {
  workers: number
  wallMs: number
  /** All parts one after the other, with planning and joining. */
  aloneMs: number
  /** How often as fast as one worker that makes all parts. */
  speedup: number
  /** The share of the workers' time between plan and join that they used for segments. */
  used: number
}

/**
 * Processes a video with a fleet. `haste` divides every pause, and results are multiplied by it. The scheduler's own time then
 * counts more than in reality.
 */
export async function simulateParts(times: PartTimes, workers: number, haste = 1): Promise<Simulated> {
  await using database = await createDatabase()
  const { sql } = database
  const ended = new AbortController()
  const { signal } = ended
  const parts = times.soundMs > 0 ? [times.soundMs, ...times.partsMs] : [...times.partsMs]
  const work = (ms: number) => delay(ms / haste, undefined, { signal })
  const log = createLog('silent', 'bench')
  const waitedFor = new Set<RequestId>()
  const watch = createSegmentWatch(sql, log)
  const loops = await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      let busy = 0
      const options = { sql, notices: sql, slots: 1, hasRoom: () => true, onEnd: () => undefined, watch, log }
      return {
        workerId: await videoWorker(sql),
        start: async (workerId: string) =>
          await createSegmentLoop({
            ...options,
            workerId,
            waitedFor: index === 0 ? waitedFor : new Set(),
            busy: () => busy,
            async work(claim) {
              busy += 1
              try {
                await work(parts[claim.number] ?? 0)
                const patience = { signal, onAway: () => undefined }
                return (await finishPartWithRetry(sql, claim.held, made(claim.held.partId), patience)) ? 'made' : 'lost'
              } finally {
                busy -= 1
              }
            },
          }).start(),
      }
    }),
  )
  const running = await Promise.all(loops.map(async ({ workerId, start }) => await start(workerId)))
  every(2_000, signal, async () => void (await sql`update workers set seen_at = now()`))
  const [first] = running
  const [planner] = loops
  if (first === undefined || planner === undefined) throw new RangeError('a fleet has workers')
  const { held, request } = await heldVideo(sql, planner.workerId)
  const wake = () => {
    first.wake()
    notify(sql, 'queue:segments')
  }
  const beganAt = performance.now()
  await work(times.planMs)
  const planned = parts.map((ms, part) => ({ weight: Math.max(1, Math.round(ms)), part: { part } }))
  if (!(await writePlan(sql, held, { source: SOURCE, plan: {} }, planned))) throw new Error('the plan was not written')
  const plannedAt = performance.now()
  waitedFor.add(request.id)
  wake()
  const outcome = await waitForSegments(sql, watch, request.id, {
    signal,
    onShare: () => undefined,
    onWaiting: wake,
    log,
  })
  if ('error' in outcome) throw new Error(`a part was not made: ${outcome.error.code}`)
  const madeAt = performance.now()
  await work(times.joinMs)
  const wallMs = (performance.now() - beganAt) * haste
  await Promise.all(running.map((loop) => loop.stop(1_000)))
  ended.abort()
  const partsMs = parts.reduce((sum, ms) => sum + ms, 0)
  const aloneMs = times.planMs + partsMs + times.joinMs
  const used = partsMs / ((madeAt - plannedAt) * haste * workers)
  return { workers, wallMs, aloneMs, speedup: aloneMs / wallMs, used }
}

/** No run takes longer than this: pauses are shortened instead. */
const LONGEST_MS = 60_000

/** The haste with which a run is short enough. */
export function hasteFor({ planMs, partsMs, soundMs, joinMs }: PartTimes, workers: number): number {
  const total = partsMs.reduce((sum, ms) => sum + ms, soundMs)
  return Math.max(1, (planMs + joinMs + total / workers) / LONGEST_MS)
}

/** Simulates a video with fleets of these sizes, prints the results, and returns them. */
export async function simulateFleets(times: PartTimes, fleets: readonly number[]): Promise<Simulated[]> {
  const found: Simulated[] = []
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  for (const workers of fleets) {
    const haste = hasteFor(times, workers)
    const one = await simulateParts(times, workers, haste)
    found.push(one)
    const how = haste > 1 ? `, pauses shortened ${haste.toFixed(1)} times` : ''
    process.stdout.write(
      `${String(workers).padStart(5)} workers: ${seconds(one.wallMs)}, ${one.speedup.toFixed(1)} times as fast as one, ` +
        `${Math.round(one.used * 100)} % of their time used${how}\n`,
    )
  }
  return found
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      'part-seconds': { type: 'string', default: '20' },
      'part-ms': { type: 'string', default: '8300' },
      'plan-ms': { type: 'string', default: '500' },
      'sound-ms': { type: 'string', default: '3000' },
      'join-ms': { type: 'string', default: '5000' },
      workers: { type: 'string', default: '10,25,50,100,200' },
    },
  })
  const count = Math.ceil((Number(values.minutes) * 60) / Number(values['part-seconds']))
  const times = {
    planMs: Number(values['plan-ms']),
    partsMs: Array.from({ length: count }, () => Number(values['part-ms'])),
    soundMs: Number(values['sound-ms']),
    joinMs: Number(values['join-ms']),
  }
  process.stdout.write(`${values.minutes} minutes in ${count} parts of ${values['part-ms']} ms each\n`)
  await simulateFleets(times, values.workers.split(',').map(Number))
}
