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

// Reading metadata or a single image takes milliseconds, and a start takes a third of a second.
const JOBS_PER_PROCESS = 500
// In addition to the download time of a source. Reading alone never takes longer.
const READ_MS = 60_000
// Waiting for a source takes no processor time. One thread decodes.
const READ_CPU_MS = 120_000
// Gives up a third of the default processor share, so that images and documents stay fast while a video runs.
const NICENESS = 5
// Single images have their own memory, so that they never wait for a video.
const READERS_SHARE = 0.25

/** The engines of videos by the lanes they serve. Disposing of them ends the processes of both. */
export type VideoEngines = AsyncDisposable & Record<'video' | 'video_look', EngineHost>

/**
 * Starts the engines of videos. Makers do one job each; readers are warm and do not wait behind them.
 *
 * Jobs of either kind are let in by the memory that they say they are going to use.
 */
export function createVideoEngines({
  budgetBytes,
  deadlineMs,
  sourceMs,
  ...options
}: VideoEnginesOptions): VideoEngines {
  const makers = createEngineHost({
    ...options,
    name: 'video',
    // One is started ahead: node-av takes a third of a second to load.
    kind: 'warm',
    cpuMs: deadlineMs * availableParallelism(),
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
    video: gated(makers, new MemoryGate(budgetBytes * (1 - READERS_SHARE))),
    video_look: gated(readers, new MemoryGate(budgetBytes * READERS_SHARE), sourceMs + READ_MS),
    async [Symbol.asyncDispose]() {
      await Promise.all([makers[Symbol.asyncDispose](), readers[Symbol.asyncDispose]()])
    },
  }
}

/** Puts a host behind a gate: a job waits until the memory that it asks for is free, and gives it back at its end. */
function gated(host: EngineHost, gate: MemoryGate, longestMs = Number.POSITIVE_INFINITY): EngineHost {
  return {
    async run(job, options) {
      using room = new Room(gate)
      return await host.run(job, {
        ...options,
        deadlineMs: Math.min(longestMs, options.deadlineMs),
        async onAsk(asked) {
          if (asked.type === 'reserve') await room.take(asked.bytes, options.signal)
          else if (options.onAsk === undefined) throw new RangeError('the source is whole')
          else await options.onAsk(asked)
        },
      })
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

/** What one job has of a gate's memory. Disposing of it gives that back, and ends the wait for it. */
class Room implements Disposable {
  readonly #gate: MemoryGate
  #leaving = new AbortController()
  #held: Disposable | undefined

  constructor(gate: MemoryGate) {
    this.#gate = gate
  }

  /** An engine asks once. Where another does the job anew, what the lost one had is given back first. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    this[Symbol.dispose]()
    const leaving = new AbortController()
    this.#leaving = leaving
    const held = await this.#gate.enter(bytes, AbortSignal.any([signal, leaving.signal]))
    // It may be let in and leave in one breath.
    if (leaving.signal.aborted) held[Symbol.dispose]()
    else this.#held = held
  }

  [Symbol.dispose](): void {
    this.#leaving.abort(new Error('the job is over'))
    this.#held?.[Symbol.dispose]()
    this.#held = undefined
  }
}
