import { lstat, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import { RequestFailure } from '../domain/errors.ts'
import { formatBytes } from '../domain/limits.ts'
import type { EngineDone, EngineJob, EngineReply, EngineRequest } from '../engines/protocol/messages.ts'
import type { Loan } from './engine-loan.ts'
import { lend } from './engine-loan.ts'
import { EnginePool } from './engine-pool.ts'
import { lowerPriority } from './engine-priority.ts'
import type { EngineProcess } from './engine-process.ts'
import { EngineLost } from './engine-process.ts'
import { findBadResult } from './engine-results.ts'
import { readTree } from './engine-tree.ts'
import type { EngineBounds } from './engine-watch.ts'
import { watchEngine } from './engine-watch.ts'
import type { Isolation } from './isolation/isolation.ts'
import { startEngine } from './isolation/isolation.ts'
import type { Scratch } from './scratch.ts'

export type EngineHostOptions = {
  /** The engine's name in the log. */
  name: string
  /** The file that the engine process runs; absolute. */
  entry: string
  /** `warm`: processes serve one job after the other. `one-shot`: each job has its own, started for it. */
  kind: 'warm' | 'one-shot'
  /** Jobs at once, and processes at most. */
  concurrency: number
  /** Resident memory of one process and all it starts; one job past it is stopped. */
  memoryBytes: number
  /** Processor time of one job, of all threads together. */
  cpuMs: number
  /** The largest file that an engine may write. */
  fileBytes: number
  /** A warm process that has done so many jobs is replaced. */
  jobsPerProcess: number
  /** How far the processes give way to others, 1 to 19 (setpriority(2)); they do not when it is missing. */
  niceness?: number
  isolation: Isolation
  scratch: Scratch
  /** Told of every process that is replaced while the host is open. */
  onRecycle?: (engine: string, reason: RecycleReason) => void
  log: Logger
}

/** `spent`: it has done its jobs. `grown`: it held on to too much memory, or has used much processor time. `lost`: it ended, or was ended in a job. */
export type RecycleReason = 'spent' | 'grown' | 'lost'

export type RunOptions = {
  /** Stops the job: its processes are gone when `run` rejects, with the signal's reason. */
  signal: AbortSignal
  /** Counted from the moment an engine is free. */
  deadlineMs: number
  /** Whose job it is, for the log. */
  requestId?: number
  /** Called with rising percentages, 0 to 100. */
  onProgress?: (percent: number) => void
  /**
   * Does what the engine asks for in the middle of the job, one thing at a time; what it rejects with ends the job. Without
   * it an engine that asks is stopped.
   */
  onRequest?: (request: EngineRequest) => Promise<void>
}

export type EngineHost = AsyncDisposable & {
  /**
   * Has an engine do `job`, whose `scratch` is a folder of `scratch.jobFolder()` with every file of the job directly in it.
   *
   * While it runs, the folder lies where only that engine process can reach it. When the promise settles it is back in
   * its place, and what it holds belongs to the caller: the results are checked to be plain files of the stated sizes.
   * Throws `RequestFailure` for all that is the file's fault, the signal's reason, or another error that is ours.
   */
  run(job: EngineJob, options: RunOptions): Promise<EngineDone>
}

// A process lost before it saw the job says nothing about the job, one that did other jobs before may have been broken by
// them, and who is killed is mostly not to blame: such a job gets another process. What crashes a fresh one is to blame.
const MAX_TRIES = 3

// The kernel counts the processor time of a process's whole life, so a warm one gets that of so many of the dearest jobs.
const WARM_CPU_SHARES = 5

// A look costs a quarter of a millisecond, a tenth of the smallest job. As often as at a job that runs is enough.
const UNSEEN_MS = 100

/** Starts engine processes as jobs need them and keeps every one inside its bounds. */
export function createEngineHost(options: EngineHostOptions): EngineHost {
  const { name, entry, isolation, scratch, memoryBytes, cpuMs, fileBytes } = options
  const isWarm = options.kind === 'warm'
  const lifeCpuMs = isWarm ? WARM_CPU_SHARES * cpuMs : cpuMs
  const log = options.log.child({ engine: name })
  const pool = new EnginePool({
    concurrency: options.concurrency,
    // wall: an engine of any age
    jobsPerProcess: isWarm ? options.jobsPerProcess : 1,
    warm: isWarm,
    start() {
      const engine = startEngine(isolation, scratch, { entry, memoryBytes, cpuMs: lifeCpuMs, fileBytes })
      if (options.niceness !== undefined) lowerPriority(engine.pid, options.niceness)
      return engine
    },
    async stop(engine) {
      if (!pool.isClosed) options.onRecycle?.(name, recycleReason(engine))
      try {
        await engine[Symbol.asyncDispose]()
      } catch (error) {
        log.error({ err: error, pid: engine.pid }, 'an engine process left something behind')
      }
    },
    onIdleLost(engine, error) {
      const { stderr } = error
      log.warn({ err: error, pid: engine.pid, jobs: engine.jobs, stderr }, 'engine lost between jobs')
    },
  })

  function recycleReason(engine: EngineProcess): RecycleReason {
    if (engine.isLost) return 'lost'
    return !isWarm || engine.jobs >= options.jobsPerProcess ? 'spent' : 'grown'
  }

  /** Has one process try the job; throws `AttemptError` when that process was lost. */
  async function attempt(job: EngineJob, bounds: Bounds): Promise<EngineDone> {
    const engine = await pool.take(bounds.signal)
    const jobsBefore = engine.jobs
    const startedAt = performance.now()
    let isHealthy = false
    try {
      const done = await runOn(engine, job, bounds)
      engine.unseenMs += performance.now() - startedAt
      isHealthy = await staysSmall(engine, { memoryBytes: memoryBytes / 2, cpuMs: lifeCpuMs - cpuMs })
      if (done instanceof RequestFailure) throw done
      return done
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error
      if (pool.isClosed) throw new Error('the engine host was closed during a job', { cause: error })
      const wasAsked = engine.jobs > jobsBefore
      const { stderr } = error
      const about = {
        request_id: bounds.requestId,
        pid: engine.pid,
        task: job.task,
        jobs: engine.jobs,
        wasAsked,
        stderr,
      }
      log.warn({ err: error, ...about }, 'engine lost')
      throw new AttemptError(error, { wasAsked, isJobs: wasAsked && jobsBefore === 0 && !error.wasKilled })
    } finally {
      pool.give(engine, isHealthy)
    }
  }

  return {
    async run(job, runOptions) {
      const bounds: Bounds = {
        ...runOptions,
        onProgress: rising(runOptions.onProgress),
        // wall: an engine that asks for what it was not given
        onRequest: runOptions.onRequest ?? refuseRequest,
        cpuMs,
        memoryBytes,
        diskBytes: [job.input, ...job.assets].reduce((sum, { size }) => sum + size, 2 * fileBytes),
        user: isolation.user,
      }
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(job, bounds)
        } catch (error) {
          if (!(error instanceof AttemptError)) throw error
          if (tries === MAX_TRIES || error.isJobs || !(await isFolder(job.scratch))) throw lostFailure(error)
          await clearAttempt(job)
        }
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

type Bounds = EngineBounds &
  Required<Pick<RunOptions, 'onProgress' | 'onRequest'>> &
  Pick<RunOptions, 'requestId'> & { user: Isolation['user'] }

const refuseRequest = (request: EngineRequest) => Promise.reject(new EngineLost(`asked for ${request.type}`))

/** A job's process was lost: before it saw the job, or with the job in its hands; `isJobs` when that was the job's doing. */
class AttemptError extends Error {
  override name = 'AttemptError'
  readonly wasAsked: boolean
  readonly isJobs: boolean

  constructor(cause: EngineLost, { wasAsked, isJobs }: { wasAsked: boolean; isJobs: boolean }) {
    super(cause.message, { cause })
    this.wasAsked = wasAsked
    this.isJobs = isJobs
  }
}

/** Does one job on a process. Rejects only when the process must not be used again; it is gone by then. */
async function runOn(engine: EngineProcess, job: EngineJob, bounds: Bounds): Promise<EngineDone | RequestFailure> {
  using watch = watchEngine(engine, bounds)
  let loan: Loan | undefined
  try {
    await Promise.race([engine.ready, watch.stopped])
    loan = lend(job, engine.folder.path, bounds.user)
    const answer = await Promise.race([
      engine.ask(loan.job, { progress: bounds.onProgress, grant: bounds.onRequest }),
      watch.stopped,
    ])
    loan.takeBack()
    if (answer.type === 'failed') return failureOf(answer)
    const files = loan.rename(answer.files)
    const bad = findBadResult(files, job.scratch)
    if (bad !== undefined) throw new EngineLost(bad)
    // wall: a result over its limit
    if (files.reduce((sum, file) => sum + file.size, 0) > job.limits.maxResultBytes) return tooBig(job)
    return { data: answer.data, files, units: answer.units }
  } catch (error) {
    // wall: an engine that an error has broken
    await engine.kill()
    // After a violent end the folder need not be there any more: the engine could do with it what it liked.
    try {
      loan?.takeBack()
    } catch {
      // What ended the job says more.
    }
    throw error
  }
}

function rising(onProgress: RunOptions['onProgress']): (percent: number) => void {
  let last = -1
  return (percent) => {
    if (Math.floor(percent) <= last) return
    last = Math.floor(percent)
    onProgress?.(last)
  }
}

function tooBig({ limits }: EngineJob): RequestFailure {
  const limit = formatBytes(limits.maxResultBytes)
  return new RequestFailure(
    'processing_failed',
    `The result is larger than ${limit}, the limit. Ask for a smaller one.`,
  )
}

function failureOf({ error, cause }: Extract<EngineReply, { type: 'failed' }>): RequestFailure {
  return new RequestFailure(error.code, error.message, {
    ...(error.operation !== undefined && { operation: error.operation }),
    ...(cause !== undefined && { cause }),
  })
}

function lostFailure(error: AttemptError): RequestFailure {
  const message = error.wasAsked
    ? 'The file could not be processed: it is damaged or too demanding. Try another file or fewer operations.'
    : 'The file could not be processed now. Try again later.'
  return new RequestFailure('processing_failed', message, { cause: error.cause })
}

/** Leaves in the job's folder only what the job came with. */
async function clearAttempt({ scratch, input, assets }: EngineJob): Promise<void> {
  const own = new Set([input, ...assets].map(({ path }) => basename(path)))
  const left = (await readdir(scratch)).filter((name) => !own.has(name))
  await Promise.all(left.map((name) => rm(join(scratch, name), { recursive: true, force: true })))
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/**
 * A process that holds on to more than half of what a job may use would be stopped for an earlier job's memory, and one
 * with less processor time left than a job may use by the kernel.
 */
async function staysSmall(engine: EngineProcess, most: { memoryBytes: number; cpuMs: number }): Promise<boolean> {
  // Elsewhere the figure costs a process each time, so there the number of jobs alone bounds the growth.
  if (engine.pid === undefined || process.platform !== 'linux') return true
  if (engine.unseenMs < UNSEEN_MS) return true
  engine.unseenMs = 0
  const { residentBytes, cpuMs } = await readTree(engine.pid)
  // wall: an engine that keeps memory or has used its time
  return residentBytes <= most.memoryBytes && cpuMs <= most.cpuMs
}
