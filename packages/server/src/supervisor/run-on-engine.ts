import { RequestFailure } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import type { AnyJob, EngineDone, EngineReply } from '@mediamill/engines/protocol/messages'
import type { EngineListener, EngineProcess } from './engine-process.ts'
import { EngineLost } from './engine-process.ts'
import { findBadResult } from './engine-results.ts'
import type { EngineBounds } from './engine-watch.ts'
import { watchEngine } from './engine-watch.ts'
import type { Isolation } from './isolation/isolation.ts'
import type { JobWorkspace } from './job-workspace.ts'
import { openWorkspace } from './job-workspace.ts'
import { readUnnamedFiles } from './unnamed-files.ts'

export type JobBounds = EngineBounds & EngineListener & { user: Isolation['user'] }

// The check of an engine's memory takes longer than a small job.
const MEMORY_CHECK_INTERVAL_MS = 100

/** Runs the job on the engine. Rejects only after it has ended the engine process. */
export async function runOn(
  engine: EngineProcess,
  job: AnyJob,
  bounds: JobBounds,
): Promise<EngineDone | RequestFailure> {
  using watch = watchEngine(engine, bounds)
  let workspace: JobWorkspace | undefined
  try {
    await Promise.race([engine.ready, watch.stopped])
    workspace = openWorkspace(job, engine.folder.path, bounds.user)
    const response = await Promise.race([engine.sendJob(workspace.job, bounds), watch.stopped])
    workspace.takeBack()
    if (response.type === 'failed') return failureOf(response)
    const files = workspace.rename(response.files)
    const bad = findBadResult(files, job.scratch)
    if (bad !== undefined) throw new EngineLost(bad)
    // security check: a result over its limit
    if (files.reduce((sum, file) => sum + file.size, 0) > job.limits.maxResultBytes) return tooBig(job)
    return { data: response.data, files, units: response.units }
  } catch (error) {
    // security check: an engine after an internal error
    await engine.kill()
    // After a crash, the folder may be missing.
    try {
      workspace?.takeBack()
    } catch {
      // The first error explains more.
    }
    throw error
  }
}

function tooBig({ limits }: AnyJob): RequestFailure {
  const limit = formatBytes(limits.maxResultBytes)
  return new RequestFailure(
    'processing_failed',
    `The result is larger than ${limit}, the limit. Request a smaller result.`,
  )
}

function failureOf({ error, cause }: Extract<EngineReply, { type: 'failed' }>): RequestFailure {
  return new RequestFailure(error.code, error.message, { ...error, cause })
}

export async function staysSmall(engine: EngineProcess, max: { memoryBytes: number; cpuMs: number }): Promise<boolean> {
  // Other systems would start `ps` for each check. There, only the number of jobs per process is limited.
  if (engine.pid === undefined || process.platform !== 'linux') return true
  if (engine.uncheckedMs < MEMORY_CHECK_INTERVAL_MS) return true
  engine.uncheckedMs = 0
  const { pids, residentBytes, cpuMs } = await engine.readTree()
  const unnamed = readUnnamedFiles(pids, engine.folder.path)
  // security check: an engine that keeps files of earlier jobs
  if (unnamed.memoryBytes + unnamed.diskBytes > 0) return false
  // security check: an engine past its memory or time
  return residentBytes <= max.memoryBytes && cpuMs <= max.cpuMs
}
