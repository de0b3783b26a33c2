import { RequestFailure } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/domain/limits'
import type { AnyJob, EngineDone, EngineReply } from '@mediamill/engines/protocol/messages'
import type { Loan } from './engine-loan.ts'
import { lend } from './engine-loan.ts'
import type { EngineListener, EngineProcess } from './engine-process.ts'
import { EngineLost } from './engine-process.ts'
import { findBadResult } from './engine-results.ts'
import { readTree } from './engine-tree.ts'
import type { EngineBounds } from './engine-watch.ts'
import { watchEngine } from './engine-watch.ts'
import type { Isolation } from './isolation/isolation.ts'
import { readUnnamedFiles } from './unnamed-files.ts'

/** What one job may use, and who hears of it. */
export type JobBounds = EngineBounds & EngineListener & { user: Isolation['user'] }

// A look costs a quarter of a millisecond, a tenth of the smallest job. As often as at a job that runs is enough.
const UNSEEN_MS = 100

/** Has one process do a job. Rejects only when the process must not be used again; it is gone by then. */
export async function runOn(
  engine: EngineProcess,
  job: AnyJob,
  bounds: JobBounds,
): Promise<EngineDone | RequestFailure> {
  using watch = watchEngine(engine, bounds)
  let loan: Loan | undefined
  try {
    await Promise.race([engine.ready, watch.stopped])
    loan = lend(job, engine.folder.path, bounds.user)
    const answer = await Promise.race([engine.ask(loan.job, bounds), watch.stopped])
    loan.takeBack()
    if (answer.type === 'failed') return failureOf(answer)
    const files = loan.rename(answer.files)
    const [thumbnail] = answer.thumbnail === undefined ? [] : loan.rename([answer.thumbnail])
    const bad = findBadResult(thumbnail === undefined ? files : [...files, thumbnail], job.scratch)
    if (bad !== undefined) throw new EngineLost(bad)
    // wall: a result over its limit
    if (files.reduce((sum, file) => sum + file.size, 0) > job.limits.maxResultBytes) return tooBig(job)
    return { data: answer.data, files, units: answer.units, ...(thumbnail !== undefined && { thumbnail }) }
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

function tooBig({ limits }: AnyJob): RequestFailure {
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

/**
 * Tells whether a process may take another job.
 *
 * One that holds on to more than half of what a job may use would be stopped for an earlier job's memory, and one with less
 * processor time left than a job may use by the kernel.
 */
export async function staysSmall(
  engine: EngineProcess,
  most: { memoryBytes: number; cpuMs: number },
): Promise<boolean> {
  // Elsewhere the figure costs a process each time, so there the number of jobs alone bounds the growth.
  if (engine.pid === undefined || process.platform !== 'linux') return true
  if (engine.unseenMs < UNSEEN_MS) return true
  engine.unseenMs = 0
  const { pids, residentBytes, cpuMs } = await readTree(engine.pid)
  const unnamed = readUnnamedFiles(pids, engine.folder.path)
  // wall: an engine that keeps files of earlier jobs
  if (unnamed.memoryBytes + unnamed.diskBytes > 0) return false
  // wall: an engine that keeps memory or has used its time
  return residentBytes <= most.memoryBytes && cpuMs <= most.cpuMs
}
