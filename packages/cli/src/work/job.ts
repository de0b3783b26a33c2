import type { MicroUsd } from '@mediamill/contract/domain/money'

/** A local file that an operation uses as an overlay. `field` leads to the field of the body that names it. */
export type Overlay = { field: readonly (string | number)[]; path: string }

/** The work on one source. */
export type Job = {
  endpoint: string
  source: { kind: 'file'; path: string } | { kind: 'url'; url: string }
  /** The body of the call without its source; fields of overlays hold the typed paths. */
  body: Record<string, unknown>
  overlays: readonly Overlay[]
}

/** A file that was made. */
export type MadeFile = {
  format: string
  size: number | null
  sha256: string
  /** Writes the file to a path where no file exists. */
  saveTo: (path: string) => Promise<void>
}

/** The result of a job. */
export type Done = {
  data: Record<string, unknown>
  /** The price of the request; missing if the request is free. Jobs with the same request have the same price. */
  price?: MicroUsd
  /** Whether an earlier run started the request, and the price was charged then. */
  isEarlier?: boolean
  /** The files, in the order of the outputs; empty if the job makes none. */
  files: readonly MadeFile[]
  /** The finished request in the service's words; missing if there was no request. */
  request?: { id: number }
}

export type RunOptions = {
  signal: AbortSignal
  /** Called with the progress as text. */
  onProgress: (text: string) => void
}

/** Runs jobs: on a service over HTTP, or with the engines of this machine. */
export type Runner = AsyncDisposable & {
  /** The maximum number of concurrent jobs. */
  concurrency: number
  run: (job: Job, options: RunOptions) => Promise<Done>
  /**
   * Returns the digest of the result that an earlier run saved at a path, `begun` if the run started the job but saved
   * no result, or `undefined`.
   */
  savedBefore?: (job: Job, path: string) => Promise<string | undefined>
  /** Returns the request of this job whose result an earlier run saved at a path, if it was recorded. */
  requestBefore?: (job: Job, path: string) => Promise<Done | undefined>
  /** Records that a file of a job's result is saved at a path. */
  noteSaved?: (job: Job, path: string, file: MadeFile, done: Done) => Promise<void>
}
