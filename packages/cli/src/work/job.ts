import type { MicroUsd } from '@mediamill/contract/domain/money'

/** A file of this machine that an operation lays over the source. */
export type Overlay = { operation: number; param: string; path: string }

/** The work on one source. */
export type Job = {
  endpoint: string
  source: { kind: 'file'; path: string } | { kind: 'url'; url: string }
  /** The body of the call without its source; fields of overlays hold what was typed. */
  body: Record<string, unknown>
  overlays: readonly Overlay[]
}

/** A file that was made. */
export type MadeFile = {
  format: string
  size: number | null
  sha256: string
  /** Writes it to a path that nothing is at. */
  saveTo: (path: string) => Promise<void>
}

/** What came of a job. */
export type Done = {
  data: Record<string, unknown>
  /** What the request costs; missing where nothing is charged. Jobs that are one request name it each. */
  price?: MicroUsd
  /** Whether an earlier run started the request: its price was charged then. */
  isEarlier?: boolean
  file?: MadeFile
  /** The finished request as the service shows it; missing where there was none. */
  request?: { id: number }
}

export type RunOptions = {
  signal: AbortSignal
  /** Is told how far it is, in words. */
  onProgress: (text: string) => void
}

/** Who does jobs: a service over HTTP, or the engines of this machine. */
export type Runner = AsyncDisposable & {
  /** Jobs that are done at once. */
  concurrency: number
  run: (job: Job, options: RunOptions) => Promise<Done>
  /** The digest of what an earlier run left at a path for this job, or `begun`; `undefined` when it never came there. */
  savedBefore?: (job: Job, path: string) => Promise<string | undefined>
  /** The request whose result an earlier run left at a path for this job, if it was noted. */
  requestBefore?: (job: Job, path: string) => Promise<Done | undefined>
  /** Notes that a job's result lies at a path. */
  noteSaved?: (job: Job, path: string, done: Done & { file: MadeFile }) => Promise<void>
}
