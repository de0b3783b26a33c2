import type { MicroUsd } from '@mediamill/contract/domain/money'
import type { Job } from './job.ts'
import type { Planned } from './plan-jobs.ts'

export type MadeFile = {
  sha256: string
  saveTo: (path: string) => Promise<void>
}

export type Done = {
  data: Record<string, unknown>
  /** The price. Undefined if the request is free. Jobs that share a request have the same price. */
  price?: MicroUsd
  /** Whether an earlier run started the request. If so, this run is not charged. */
  isEarlier?: boolean
  files: readonly MadeFile[]
  /** The request. Undefined if the job ran on this machine. */
  request?: { id: number }
}

/** A job that can run. If `paths` is empty, the result is written to stdout. */
export type Ready = { planned: Planned; job: Job; paths: readonly string[] }

export type Finished = Ready & ({ ok: true; done: Done } | { ok: false; error: unknown })

type RunOptions = { onProgress: (job: Ready, text: string) => void }

export type Runner = AsyncDisposable & {
  /** Runs jobs in parallel, and yields each job as soon as it finishes. Throws only if no further job can run. */
  run: (jobs: AsyncIterable<Ready>, options: RunOptions) => AsyncIterable<Finished>
  /** Returns the SHA-256 digests of the result files if an earlier run finished the job. */
  filesBefore?: (job: Job) => Promise<readonly string[] | undefined>
  doneBefore?: (job: Job) => Promise<Done | undefined>
}

export type LocalOptions = { signal: AbortSignal; onProgress: (text: string) => void }

export type LocalRunner = AsyncDisposable & {
  concurrency: number
  run: (job: Job, options: LocalOptions) => Promise<Done>
}
