import { availableParallelism } from 'node:os'
import type { EngineHost, EngineHostOptions } from './engine-host.ts'
import { createEngineHost } from './engine-host.ts'
import { MemoryGate } from './memory-gate.ts'

export type VideoEnginesOptions = Omit<EngineHostOptions, 'name' | 'kind' | 'jobsPerProcess' | 'niceness' | 'cpuMs'> & {
  /** How long a job may take that makes a video: on every core all of that time. */
  deadlineMs: number
  /** How long its source may take to come. */
  sourceMs: number
  /** Memory that all video jobs together may be going to use. */
  budgetBytes: number
}

// Facts and single pictures take milliseconds, and a start a third of a second.
const JOBS_PER_PROCESS = 100
// Beyond what a source may take to come: nothing that is read or pictured takes longer by itself.
const READ_MS = 60_000
// Waiting for a source takes no processor time. One thread decodes.
const READ_CPU_MS = 120_000
// A third of the share of a process that gives way to none: pictures and documents stay quick beside a video.
const NICENESS = 5
// Single pictures have memory of their own, so that none waits until a video is made.
const READERS_SHARE = 0.25

/**
 * The engines of videos: those that make videos do one job each, and those that read and take pictures are
 * warm and do not wait behind them. Jobs of either kind are let in by the memory that they say they are going to use.
 */
export function createVideoEngines({
  budgetBytes,
  deadlineMs: makeDeadlineMs,
  sourceMs,
  ...options
}: VideoEnginesOptions): EngineHost {
  const readersGate = new MemoryGate(budgetBytes * READERS_SHARE)
  const makersGate = new MemoryGate(budgetBytes * (1 - READERS_SHARE))
  const makers = createEngineHost({
    ...options,
    name: 'video',
    // One is started ahead: node-av takes a third of a second to load.
    kind: 'warm',
    cpuMs: makeDeadlineMs * availableParallelism(),
    jobsPerProcess: 1,
    niceness: NICENESS,
  })
  const readers = createEngineHost({
    ...options,
    name: 'video reader',
    kind: 'warm',
    cpuMs: READ_CPU_MS,
    jobsPerProcess: JOBS_PER_PROCESS,
  })
  return {
    async run(job, runOptions) {
      const isMade = job.task === 'videos/process'
      const host = isMade ? makers : readers
      const gate = isMade ? makersGate : readersGate
      const deadlineMs = isMade ? runOptions.deadlineMs : Math.min(sourceMs + READ_MS, runOptions.deadlineMs)
      using held = new DisposableStack()
      const left = new AbortController()
      const signal = AbortSignal.any([runOptions.signal, left.signal])
      try {
        return await host.run(job, {
          ...runOptions,
          deadlineMs,
          async onRequest(request) {
            if (request.type === 'reserve') held.use(await gate.enter(request.bytes, signal))
            else if (runOptions.onRequest === undefined) throw new RangeError('the source is whole')
            else await runOptions.onRequest(request)
          },
        })
      } finally {
        left.abort(new Error('the job is over'))
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([makers[Symbol.asyncDispose](), readers[Symbol.asyncDispose]()])
    },
  }
}
