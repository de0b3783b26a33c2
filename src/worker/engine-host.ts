import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Logger } from 'pino'
import { RequestFailure } from '../domain/errors.ts'
import { formatBytes } from '../domain/limits.ts'
import type { EngineDone, EngineJob, EngineReply } from '../engines/messages.ts'
import { EnginePool } from './engine-pool.ts'
import { EngineLost, EngineProcess } from './engine-process.ts'
import { findBadResult } from './engine-results.ts'
import { readTree } from './engine-tree.ts'
import { watchEngine } from './engine-watch.ts'
import type { Isolation } from './isolation.ts'
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
  /** A warm process that has done so many jobs is replaced. */
  jobsPerProcess: number
  isolation: Isolation
  scratch: Scratch
  log: Logger
}

export type RunOptions = {
  /** Stops the job: its processes are gone when `run` rejects, with the signal's reason. */
  signal: AbortSignal
  /** Counted from the moment an engine is free. */
  deadlineMs: number
  /** Called with rising percentages, 0 to 100. */
  onProgress?: (percent: number) => void
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

// A process that is not yet ready when it ends, or ends between two jobs, says nothing about the job that got it.
const MAX_STARTS = 3

/** Starts engine processes as jobs need them and keeps every one inside its bounds. */
export function createEngineHost(options: EngineHostOptions): EngineHost {
  const { name, entry, isolation, scratch } = options
  const log = options.log.child({ engine: name })
  const pool = new EnginePool({
    concurrency: options.concurrency,
    jobsPerProcess: options.kind === 'warm' ? options.jobsPerProcess : 1,
    warm: options.kind === 'warm',
    start() {
      const folder = scratch.engineFolder()
      return new EngineProcess(isolation.command({ entry, folder: folder.path }), folder)
    },
    async stop(engine) {
      try {
        await engine.kill()
        await engine.folder[Symbol.asyncDispose]()
      } catch (error) {
        log.error({ err: error, pid: engine.pid }, 'an engine process left something behind')
      }
    },
  })

  return {
    async run(job, runOptions) {
      for (let start = 1; ; start += 1) {
        const engine = await pool.take(runOptions.signal)
        const jobsBefore = engine.jobs
        let isHealthy = false
        try {
          const done = await runOn(engine, job, { ...runOptions, memoryBytes: options.memoryBytes })
          isHealthy = await staysSmall(engine, options.memoryBytes)
          if (done instanceof RequestFailure) throw done
          return done
        } catch (error) {
          if (!(error instanceof EngineLost)) throw error
          if (pool.isClosed) throw new Error('the engine host was closed during a job', { cause: error })
          log.warn(
            { err: error, pid: engine.pid, task: job.task, jobs: engine.jobs, stderr: engine.stderr },
            'engine lost',
          )
          if (engine.jobs === jobsBefore && start < MAX_STARTS) continue
          throw lostFailure(error, engine.jobs > jobsBefore)
        } finally {
          pool.give(engine, isHealthy)
        }
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

type Bounds = RunOptions & { memoryBytes: number }

/** Does one job on a process. Rejects only when the process must not be used again; it is gone by then. */
async function runOn(engine: EngineProcess, job: EngineJob, bounds: Bounds): Promise<EngineDone | RequestFailure> {
  using watch = watchEngine(engine, bounds)
  const lent = join(engine.folder.path, basename(job.scratch))
  let isLent = false
  try {
    await Promise.race([engine.ready, watch.stopped])
    await rename(job.scratch, lent)
    isLent = true
    const answer = await Promise.race([engine.ask(moved(job, lent), rising(bounds.onProgress)), watch.stopped])
    isLent = false
    await rename(lent, job.scratch).catch((cause: unknown) => {
      throw new EngineLost('the job folder is not where it was', { cause })
    })
    return answer.type === 'failed' ? failureOf(answer) : await doneOf(answer, job, lent)
  } catch (error) {
    await engine.kill()
    throw error
  } finally {
    // It need not be there any more: the engine could do with it what it liked.
    if (isLent) await rename(lent, job.scratch).catch(() => {})
  }
}

function moved(job: EngineJob, scratch: string): EngineJob {
  const place = <File extends { path: string }>(file: File): File => ({
    ...file,
    path: join(scratch, basename(file.path)),
  })
  return { ...job, scratch, input: place(job.input), assets: job.assets.map(place) }
}

/** Whole percentages, each once: what an engine says more often than that is not worth a database write. */
function rising(onProgress: RunOptions['onProgress']): (percent: number) => void {
  let last = -1
  return (percent) => {
    if (Math.floor(percent) <= last) return
    last = Math.floor(percent)
    onProgress?.(last)
  }
}

async function doneOf(
  { data, files, units }: Extract<EngineReply, { type: 'done' }>,
  job: EngineJob,
  lent: string,
): Promise<EngineDone | RequestFailure> {
  const ours = files.map((file) =>
    dirname(file.path) === lent ? { ...file, path: join(job.scratch, basename(file.path)) } : file,
  )
  const bad = await findBadResult(ours, job.scratch)
  if (bad !== undefined) throw new EngineLost(bad)
  if (ours.reduce((sum, file) => sum + file.size, 0) > job.limits.maxResultBytes) {
    const limit = formatBytes(job.limits.maxResultBytes)
    return new RequestFailure(
      'processing_failed',
      `The result is larger than ${limit}, the limit. Ask for a smaller one.`,
    )
  }
  return { data, files: ours, units }
}

function failureOf({ error, cause }: Extract<EngineReply, { type: 'failed' }>): RequestFailure {
  return new RequestFailure(error.code, error.message, {
    ...(error.operation !== undefined && { operation: error.operation }),
    ...(cause !== undefined && { cause }),
  })
}

function lostFailure(error: EngineLost, isJobToBlame: boolean): RequestFailure {
  const message = isJobToBlame
    ? 'The file could not be processed: it is damaged or too demanding. Try another file or fewer operations.'
    : 'The file could not be processed now. Try again later.'
  return new RequestFailure('processing_failed', message, { cause: error })
}

/** A process that holds on to more than half of what a job may use would be stopped for an earlier job's memory. */
async function staysSmall(engine: EngineProcess, memoryBytes: number): Promise<boolean> {
  if (engine.pid === undefined) return false
  // Elsewhere the figure costs a process each time, so there the number of jobs alone bounds the growth.
  if (process.platform !== 'linux') return true
  return (await readTree(engine.pid)).residentBytes <= memoryBytes / 2
}
