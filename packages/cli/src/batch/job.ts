import type { MicroUsd } from '@mediamill/contract/domain/money'

/** A local file that an operation uses. `field` is the path of the body's field that contains the file. */
export type Overlay = { field: readonly (string | number)[]; path: string }

export type Job = {
  endpoint: string
  source: { kind: 'file'; path: string } | { kind: 'url'; url: string }
  /** The body of the call without `source`. It still contains the local paths of overlays. */
  body: Record<string, unknown>
  overlays: readonly Overlay[]
}

export type MadeFile = {
  format: string
  size: number | null
  sha256: string
  saveTo: (path: string) => Promise<void>
}

export type Done = {
  data: Record<string, unknown>
  /** The price of the request. Undefined if it is free. Jobs that share a request have the same price. */
  price?: MicroUsd
  /** Whether an earlier run started the request, so that this run is not charged. */
  isEarlier?: boolean
  /** The files of the result, in the order of the outputs. Empty if the request makes no file. */
  files: readonly MadeFile[]
  /** The request as the API returns it. Undefined if the job ran on this machine. */
  request?: { id: number }
}

export type RunOptions = {
  signal: AbortSignal
  onProgress: (text: string) => void
}

export type Runner = AsyncDisposable & {
  concurrency: number
  run: (job: Job, options: RunOptions) => Promise<Done>
  /** Returns the digest of the result that an earlier run saved at a path, or `begun` if it only sent the job. */
  savedBefore?: (job: Job, path: string) => Promise<string | undefined>
  /** Returns the result that an earlier run saved at a path. `undefined` if the journal lacks its request. */
  requestBefore?: (job: Job, path: string) => Promise<Done | undefined>
  noteSaved?: (job: Job, path: string, file: MadeFile, done: Done) => Promise<void>
}
