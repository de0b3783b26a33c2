import { lstat, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { AnyJob } from '@mediamill/engines/protocol/messages'
import type { EngineLost } from './engine-process.ts'

/** Thrown if the process of a job was lost. `isJobs`: the job caused the loss. */
export class EngineCrashError extends Error {
  override name = 'EngineCrashError'
  readonly hasReceivedJob: boolean
  readonly isJobs: boolean

  constructor(cause: EngineLost, { hasReceivedJob, isJobs }: { hasReceivedJob: boolean; isJobs: boolean }) {
    super(cause.message, { cause })
    this.hasReceivedJob = hasReceivedJob
    this.isJobs = isJobs
  }
}

export function crashFailure(error: EngineCrashError): RequestFailure | EngineCrashError {
  if (!error.hasReceivedJob) return error
  const message =
    'The file could not be processed: it is damaged, or it requires too much memory or time. Try another file or fewer operations.'
  return new RequestFailure('processing_failed', message, { cause: error.cause })
}

export async function canRetry(job: AnyJob, error: EngineCrashError): Promise<boolean> {
  return !error.isJobs && (await isFolder(job.scratch))
}

export async function removeAttemptFiles({ scratch, input, assets }: AnyJob): Promise<void> {
  const own = new Set([...(input === undefined ? [] : [input]), ...assets].map(({ path }) => basename(path)))
  const left = (await readdir(scratch)).filter((name) => !own.has(name))
  await Promise.all(left.map((name) => rm(join(scratch, name), { recursive: true, force: true })))
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
