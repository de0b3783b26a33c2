import type { MicroUsd } from '@mediamill/contract/domain/money'

/**
 * A local file that an operation uses, such as a watermark image. `field` is the path of the body field that contains
 * the file's path.
 */
export type Overlay = { field: readonly (string | number)[]; path: string }

/** The work on one source. */
export type Job = {
  endpoint: string
  source: { kind: 'file'; path: string } | { kind: 'url'; url: string }
  /** The body of the call without `source`. Fields of overlays contain the typed paths. */
  body: Record<string, unknown>
  overlays: readonly Overlay[]
}

/** A result file of a job. */
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
  /** The price of the request; missing if the request is free. Jobs that share a request have the same price. */
  price?: MicroUsd
  /** Whether an earlier run started the request. The price was then charged in that run. */
  isEarlier?: boolean
  /** The files, in the order of the outputs. Empty if the job makes no file. */
  files: readonly MadeFile[]
  /** The finished request as the API returns it; missing if there was no request. */
  request?: { id: number }
}

export type RunOptions = {
  signal: AbortSignal
  /** Called with the progress as text. */
  onProgress: (text: string) => void
}

/** Runs jobs, either on a service over HTTP or with the engines of this machine. */
export type Runner = AsyncDisposable & {
  /** The maximum number of concurrent jobs. */
  concurrency: number
  run: (job: Job, options: RunOptions) => Promise<Done>
  /**
   * Returns the digest of the result that an earlier run saved at a path. Returns `begun` if an earlier run started the
   * job but saved no result, or `undefined` if no run started it.
   */
  savedBefore?: (job: Job, path: string) => Promise<string | undefined>
  /** Returns the result of a job that an earlier run saved at a path, with its request, if the request was recorded. */
  requestBefore?: (job: Job, path: string) => Promise<Done | undefined>
  /** Records that a file of a job's result is saved at a path. */
  noteSaved?: (job: Job, path: string, file: MadeFile, done: Done) => Promise<void>
}
