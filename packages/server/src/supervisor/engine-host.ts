import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { AnyJob, EngineCall, EngineDone } from '@mediamill/engines/protocol/messages'
import type { Logger } from 'pino'
import type { JobSeries } from './engine-affinity.ts'
import { canRetry, crashFailure, EngineCrashError, removeAttemptFiles } from './engine-crash.ts'
import { EnginePool } from './engine-pool.ts'
import { lowerPriority } from './engine-priority.ts'
import type { EngineProcess } from './engine-process.ts'
import { EngineLost } from './engine-process.ts'
import { maxFilesOf, watchIdleEngine } from './engine-watch.ts'
import type { Isolation } from './isolation/isolation.ts'
import { startEngine } from './isolation/isolation.ts'
import type { JobBounds } from './run-on-engine.ts'
import { runOn, staysSmall } from './run-on-engine.ts'
import type { Scratch } from './scratch.ts'

export type EngineHostOptions = {
  name: string
  entry: string
  concurrency: number
  memoryBytes: number
  cpuMs: number
  fileBytes: number
  jobsPerProcess: number
  /** How long a process that reached its job limit waits for another job of the same series. Default: 5 s. */
  seriesMs?: number | undefined
  idleMs?: number | undefined
  /** How many processes that have run no job stay alive while idle. Default: 0. */
  keep?: number
  startsAhead?: boolean
  niceness?: number
  isolation: Isolation
  scratch: Scratch
  onRecycle?: (engine: string, reason: RecycleReason) => void
  log: Logger
}

export type RecycleReason = 'job_limit' | 'memory' | 'lost' | 'idle'

export type RunOptions = {
  signal: AbortSignal
  deadlineMs: number
  requestId?: number
  series?: JobSeries
  onProgress?: (percent: number) => void
  /** Handles an engine's request to read bytes, or to reserve memory or credit. If the handler rejects, the job ends. */
  onCall?: (call: EngineCall) => Promise<void>
}

type EngineUsage = { cpuSeconds: number; memoryBytes: number; peakBytes: number }

export type EngineHost = AsyncDisposable & {
  /** Runs a job on an engine process. Until the job ends, only this process can access the job's `scratch`. */
  run(job: AnyJob, options: RunOptions): Promise<EngineDone>
  usage(): Promise<EngineUsage>
}

// If a job crashes a new process, the job is the cause, so it is not retried. If the process had run other jobs, had
// not received this job, or was killed from outside, the cause is unknown, and the job is retried.
const MAX_TRIES = 3

// The kernel limits the CPU time of a process over all its jobs. A process gets the CPU time of this many jobs.
const CPU_SHARES = 5

export const createEngineHost = (options: EngineHostOptions): EngineHost => new PooledHost(options)

class PooledHost implements EngineHost {
  readonly #options: EngineHostOptions
  readonly #log: Logger
  readonly #pool: EnginePool
  readonly #lifeCpuMs: number
  readonly #idleWatches = new Map<EngineProcess, Disposable>()
  readonly #running = new Set<EngineProcess>()
  readonly #ended = { cpuMs: 0, peakBytes: 0 }

  constructor(options: EngineHostOptions) {
    this.#options = options
    this.#log = options.log.child({ engine: options.name })
    this.#lifeCpuMs = CPU_SHARES * options.cpuMs
    this.#pool = new EnginePool({
      concurrency: options.concurrency,
      // security check: an engine of any age
      jobsPerProcess: options.jobsPerProcess,
      startsAhead: options.startsAhead ?? true,
      idleMs: options.idleMs,
      seriesMs: options.seriesMs,
      keep: options.keep ?? 0,
      start: () => this.#start(),
      stop: (engine, isIdle) => this.#stop(engine, isIdle),
      onIdleLost: (engine, error) => {
        const { stderr } = error
        this.#log.warn({ err: error, pid: engine.pid, jobs: engine.jobs, stderr }, 'engine lost between jobs')
      },
    })
  }

  async run(job: AnyJob, runOptions: RunOptions): Promise<EngineDone> {
    const bounds = this.#boundsOf(job, runOptions)
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#attempt(job, bounds, runOptions)
      } catch (error) {
        if (!(error instanceof EngineCrashError)) throw error
        if (tries === MAX_TRIES || !(await canRetry(job, error))) throw crashFailure(error)
        await removeAttemptFiles(job)
      }
    }
  }

  async usage(): Promise<EngineUsage> {
    await Promise.all([...this.#running].map((engine) => engine.readTree()))
    const usages = [...this.#running].map(({ usage }) => usage)
    return {
      cpuSeconds: usages.reduce((sum, { cpuMs }) => sum + cpuMs, this.#ended.cpuMs) / 1000,
      memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
      peakBytes: Math.max(this.#ended.peakBytes, ...usages.map(({ peakBytes }) => peakBytes)),
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]()
  }

  #start(): EngineProcess {
    const { isolation, scratch, entry, memoryBytes, fileBytes, niceness } = this.#options
    const engine = startEngine(isolation, scratch, { entry, memoryBytes, cpuMs: this.#lifeCpuMs, fileBytes })
    if (niceness !== undefined) lowerPriority(engine.pid, niceness)
    this.#running.add(engine)
    return engine
  }

  async #stop(engine: EngineProcess, isIdle: boolean): Promise<void> {
    this.#endIdleWatch(engine)
    const reason = isIdle ? 'idle' : this.#recycleReason(engine)
    if (!this.#pool.isClosed) this.#options.onRecycle?.(this.#options.name, reason)
    try {
      await engine[Symbol.asyncDispose]()
    } catch (error) {
      this.#log.error(
        { err: error, pid: engine.pid },
        'engine cleanup failed: the process still runs, or its folder was not deleted',
      )
    }
    this.#running.delete(engine)
    this.#ended.cpuMs += engine.usage.cpuMs
    this.#ended.peakBytes = Math.max(this.#ended.peakBytes, engine.usage.peakBytes)
  }

  #recycleReason(engine: EngineProcess): RecycleReason {
    if (engine.isLost) return 'lost'
    return engine.jobs >= this.#options.jobsPerProcess ? 'job_limit' : 'memory'
  }

  #boundsOf(job: AnyJob, { signal, deadlineMs, onProgress, onCall }: RunOptions): JobBounds {
    const { cpuMs, memoryBytes, fileBytes, isolation } = this.#options
    return {
      signal,
      deadlineMs,
      progress: rising(onProgress),
      // security check: a call that no handler expects
      grant: onCall ?? rejectCall,
      cpuMs,
      memoryBytes,
      diskBytes: job.assets.reduce((sum, { size }) => sum + size, (job.input?.size ?? 0) + 2 * fileBytes),
      files: maxFilesOf(job),
      user: isolation.user,
    }
  }

  async #attempt(job: AnyJob, bounds: JobBounds, { requestId, series }: RunOptions): Promise<EngineDone> {
    const { memoryBytes, cpuMs } = this.#options
    const engine = await this.#pool.take(bounds.signal, series)
    this.#endIdleWatch(engine)
    const jobsBefore = engine.jobs
    const startedAt = performance.now()
    let isHealthy = false
    try {
      const done = await runOn(engine, job, bounds)
      engine.uncheckedMs += performance.now() - startedAt
      isHealthy = await staysSmall(engine, { memoryBytes: memoryBytes / 2, cpuMs: this.#lifeCpuMs - cpuMs })
      if (done instanceof RequestFailure) throw done
      return done
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error
      if (this.#pool.isClosed) throw new Error('the engine host was closed during a job', { cause: error })
      const hasReceivedJob = engine.jobs > jobsBefore
      const { stderr } = error
      const about = {
        request_id: requestId,
        pid: engine.pid,
        task: job.task,
        jobs: engine.jobs,
        has_received_job: hasReceivedJob,
        stderr,
      }
      this.#log.warn({ err: error, ...about }, 'engine lost')
      throw new EngineCrashError(error, {
        hasReceivedJob,
        isJobs: hasReceivedJob && jobsBefore === 0 && !error.wasKilled,
      })
    } finally {
      // security check: usage between jobs
      if (isHealthy) this.#watchIdle(engine)
      this.#pool.give(engine, isHealthy, series)
    }
  }

  /** Watches the limits of an idle process, because a malicious file of an earlier job may control the process. */
  #watchIdle(engine: EngineProcess): void {
    const { memoryBytes, cpuMs, fileBytes } = this.#options
    const bounds = { memoryBytes, cpuMs, diskBytes: 2 * fileBytes, files: maxFilesOf({ assets: [] }) }
    this.#idleWatches.set(engine, watchIdleEngine(engine, bounds))
  }

  #endIdleWatch(engine: EngineProcess): void {
    this.#idleWatches.get(engine)?.[Symbol.dispose]()
    this.#idleWatches.delete(engine)
  }
}

const rejectCall = (call: EngineCall) =>
  Promise.reject(new EngineLost(`the engine sent an unexpected request: ${call.type}`))

function rising(onProgress: RunOptions['onProgress']): (percent: number) => void {
  let last = -1
  return (percent) => {
    if (Math.floor(percent) <= last) return
    last = Math.floor(percent)
    onProgress?.(last)
  }
}
