import { availableParallelism } from 'node:os'
import type { EngineHost, EngineHostOptions } from './engine-host.ts'
import { createEngineHost } from './engine-host.ts'
import { MemoryGate } from './memory-gate.ts'

type VideoEnginesOptions = Omit<EngineHostOptions, 'name' | 'jobsPerProcess' | 'niceness' | 'cpuMs'> & {
  /** The maximum duration of a job that makes a video. The job may use all cores for this time. */
  deadlineMs: number
  sourceMs: number
  budgetBytes: number
}

const JOBS_PER_PROCESS = 500
// The maximum duration of a job that only reads a video, in addition to the duration of its download.
const READ_MS = 60_000
const READ_CPU_MS = 120_000
// With this nice value, video gets a third of the default CPU share, so that images and documents stay fast.
const NICENESS = 5
const READERS_SHARE = 0.25

export type VideoEngines = AsyncDisposable & Record<'video' | 'video_look', EngineHost>

export function createVideoEngines({
  budgetBytes,
  deadlineMs,
  sourceMs,
  ...options
}: VideoEnginesOptions): VideoEngines {
  const makers = createEngineHost({
    ...options,
    name: 'video',
    // One process starts before the first job, because loading node-av is slow.
    cpuMs: deadlineMs * availableParallelism(),
    jobsPerProcess: 1,
    niceness: NICENESS,
  })
  const readers = createEngineHost({
    ...options,
    name: 'video reader',
    cpuMs: READ_CPU_MS,
    jobsPerProcess: JOBS_PER_PROCESS,
  })
  return {
    video: gated(makers, new MemoryGate(budgetBytes * (1 - READERS_SHARE))),
    video_look: gated(readers, new MemoryGate(budgetBytes * READERS_SHARE), sourceMs + READ_MS),
    async [Symbol.asyncDispose]() {
      await Promise.all([makers[Symbol.asyncDispose](), readers[Symbol.asyncDispose]()])
    },
  }
}

function gated(host: EngineHost, gate: MemoryGate, longestMs = Number.POSITIVE_INFINITY): EngineHost {
  return {
    async run(job, options) {
      using claim = new MemoryClaim(gate)
      return await host.run(job, {
        ...options,
        deadlineMs: Math.min(longestMs, options.deadlineMs),
        async onCall(call) {
          if (call.type === 'reserve') await claim.take(call.bytes, options.signal)
          else if (options.onCall === undefined)
            throw new RangeError('the engine requested more bytes of a source that was already downloaded completely')
          else await options.onCall(call)
        },
      })
    },
    usage: () => host.usage(),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

class MemoryClaim implements Disposable {
  readonly #gate: MemoryGate
  #leaving = new AbortController()
  #held: Disposable | undefined

  constructor(gate: MemoryGate) {
    this.#gate = gate
  }

  /** Reserves memory. Frees an earlier reservation: after the loss of an engine, the next engine reserves again. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    this[Symbol.dispose]()
    const leaving = new AbortController()
    this.#leaving = leaving
    const held = await this.#gate.enter(bytes, AbortSignal.any([signal, leaving.signal]))
    // The job may have ended just when its wait ended.
    if (leaving.signal.aborted) held[Symbol.dispose]()
    else this.#held = held
  }

  [Symbol.dispose](): void {
    this.#leaving.abort(new Error('the job has ended'))
    this.#held?.[Symbol.dispose]()
    this.#held = undefined
  }
}
