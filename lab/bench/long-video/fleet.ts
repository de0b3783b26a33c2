import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { EngineDone } from '@mediamill/engines/protocol/messages'
import type { CutExtras, SegmentsPlan } from '@mediamill/media/plan/video-segments'
import { isMade, planOf, SEGMENT_TASKS, segmentsOf } from '@mediamill/media/plan/video-segments'
import { HEAP } from '@mediamill/server/commands/serve/supervise'
import type { BenchJob, BenchReply } from './worker.ts'

type BenchWorker = Disposable & { pid: number; run: (job: BenchJob) => Promise<EngineDone> }

/** Starts a worker process. `core` is the only core that the worker and its engines may use. */
export async function startWorker(scratch: string, core?: number): Promise<BenchWorker> {
  const file = path.join(import.meta.dirname, 'worker.ts')
  const node = [process.execPath, ...HEAP.worker]
  const [execPath = '', ...execArgv] = core === undefined ? node : ['taskset', '-c', String(core), ...node]
  const child = fork(file, [scratch], { execPath, execArgv })
  await once(child, 'message')
  let jobs = 0
  return {
    pid: child.pid ?? 0,
    async run(job) {
      const id = jobs++
      const { promise, resolve } = Promise.withResolvers<BenchReply>()
      const take = (reply: BenchReply) => {
        if (reply.id !== id) return
        child.off('message', take)
        resolve(reply)
      }
      child.on('message', take)
      child.send({ id, job })
      const reply = await promise
      if ('error' in reply) throw new Error(reply.error)
      return reply.done
    },
    [Symbol.dispose]: () => child.disconnect(),
  }
}

export type Work = { parameters: Record<string, unknown>; source: NonNullable<BenchJob['source']> }

type InSegments = {
  done: EngineDone
  plan: SegmentsPlan
  planSeconds: number
  segmentSeconds: number[]
  joinSeconds: number
}

/** Processes a video unsplit on one worker. The worker downloads the complete source before the engine starts. */
export const inOnePiece = (
  worker: BenchWorker,
  { parameters, source }: Work,
  { keep, extras }: { keep: string; extras: CutExtras },
): Promise<EngineDone> =>
  worker.run({
    task: 'videos/process',
    parameters: { ...parameters, ...extras },
    source: { ...source, isByRanges: false },
    keep,
  })

/**
 * Processes a video in segments. Each free worker takes the next segment. As in the service, the first worker also
 * plans, joins, and with `isCopied` downloads the complete source.
 */
export async function inSegments(
  workers: readonly BenchWorker[],
  { parameters, source }: Work,
  { keep, extras, isCopied = false }: { keep: string; extras: CutExtras; isCopied?: boolean },
): Promise<InSegments | undefined> {
  const [first] = workers
  if (first === undefined) throw new RangeError('a fleet without a worker')
  const plannedAt = performance.now()
  const planned = await first.run({ task: SEGMENT_TASKS.plan, parameters: { ...parameters, ...extras }, source })
  const plan = planOf(planned.data)
  if (plan === undefined) return undefined
  const planSeconds = secondsSince(plannedAt)
  const numbers = [...segmentsOf(plan).keys()]
  const files = numbers.map((number) => `${keep}.part-${number}`)
  const left = [...numbers]
  const segmentSeconds: number[] = []
  const data: EngineDone['data'][] = []
  const work = async (worker: BenchWorker) => {
    for (let segment = left.shift(); segment !== undefined; segment = left.shift()) {
      const startedAt = performance.now()
      const job = {
        task: SEGMENT_TASKS.part,
        parameters: { ...parameters, plan, part: segment },
        source,
        keep: files[segment] ?? '',
      }
      const done = await worker.run(job)
      if (!isMade(done.data)) throw new Error(`segment ${segment}: ${String(done.data['reason'])}`)
      segmentSeconds[segment] = secondsSince(startedAt)
      data[segment] = done.data
    }
  }
  const copied = isCopied ? first.run({ task: 'copy', parameters: {}, source }) : undefined
  await Promise.all([copied, ...workers.map(work)])
  const joinedAt = performance.now()
  const done = await first.run({ task: SEGMENT_TASKS.join, parameters: { plan, parts: data }, parts: files, keep })
  if (!isMade(done.data)) throw new Error(`the join: ${String(done.data['reason'])}`)
  return { done, plan, planSeconds, segmentSeconds, joinSeconds: secondsSince(joinedAt) }
}

const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1000
