import type { MicroUsd } from '@mediamill/contract/domain/money'

/** A local file that an operation uses. `field` is the path of the body field that contains the file's path. */
export type Overlay = { field: readonly (string | number)[]; path: string }

/** The work on one source. */
export type Job = {
  endpoint: string
  source: { kind: 'file'; path: string } | { kind: 'url'; url: string }
  /** The body of the call without `source`. Fields of overlays contain the typed paths. */
  body: Record<string, unknown>
  overlays: readonly Overlay[]
}

export type MadeFile = {
  format: string
  size: number | null
  sha256: string
  /** Writes the file to a path where no file exists. */
  saveTo: (path: string) => Promise<void>
}

export type Done = {
  data: Record<string, unknown>
  /** The price of the request; missing if the request is free. Jobs that share a request have the same price. */
  price?: MicroUsd
  /** Whether an earlier run started the request. The price was then charged in that run. */
  isEarlier?: boolean
  /** In the order of the outputs. Empty if the job makes no file. */
  files: readonly MadeFile[]
  /** The finished request as the API returns it; missing if there was no request. */
  request?: { id: number }
}

export type RunOptions = {
  signal: AbortSignal
  onProgress: (text: string) => void
}

/** Runs jobs, either on a service over HTTP or with the engines of this machine. */
export type Runner = AsyncDisposable & {
  concurrency: number
  run: (job: Job, options: RunOptions) => Promise<Done>
  /**
   * Returns the digest of the result that a run saved at a path, `begun` if one only started the job, or `undefined`.
   */
  savedBefore?: (job: Job, path: string) => Promise<string | undefined>
  /** Returns the result of a job that an earlier run saved at a path, with its request, if the request was recorded. */
  requestBefore?: (job: Job, path: string) => Promise<Done | undefined>
  noteSaved?: (job: Job, path: string, file: MadeFile, done: Done) => Promise<void>
}
