import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import type { AnyJob } from '@mediamill/engines/protocol/messages'
import { unlessMissing } from '../lib/unless-missing.ts'
import type { EngineProcess } from './engine-process.ts'
import { EngineLost } from './engine-process.ts'
import { hidesFiles, readUnnamedFiles } from './unnamed-files.ts'

type UsageBounds = {
  cpuMs: number
  memoryBytes: number
  diskBytes: number
  files: number
}

export type EngineBounds = UsageBounds & { signal: AbortSignal; deadlineMs: number }

// On systems other than Linux, each check starts `ps`.
const TREE_POLL_MS = process.platform === 'linux' ? 100 : 500
const DISK_POLL_MS = 1_000
const IDLE_POLL_MS = 1_000

// Node.js needs about 12 threads, libav 3 per core, and the sandbox 1 or 2 processes.
const MAX_PROCESSES = 16
const MAX_THREADS = 1024

/** The maximum number of files besides the inputs: up to 20 results, and the temporary files of libvips. */
const OWN_FILES = 100

/** Returns the maximum number of files of a job. A job that joins video segments has one input file per segment. */
export const maxFilesOf = ({ assets }: Pick<AnyJob, 'assets'>): number => OWN_FILES + assets.length

/** Watches a job. At a limit, `stopped` rejects with an error for the client; at an abort, with the signal's reason. */
export function watchEngine(engine: EngineProcess, bounds: EngineBounds): Disposable & { stopped: Promise<never> } {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})

  const abort = () => reject(bounds.signal.reason)
  if (bounds.signal.aborted) abort()
  // security check: an abort
  bounds.signal.addEventListener('abort', abort, { once: true })

  // security check: a deadline
  const deadline = setTimeout(() => {
    reject(pastDeadline(bounds.deadlineMs))
  }, bounds.deadlineMs)

  const usage = watchUsage(engine, bounds, TREE_POLL_MS, reject)
  return {
    stopped: promise,
    [Symbol.dispose]() {
      bounds.signal.removeEventListener('abort', abort)
      clearTimeout(deadline)
      usage[Symbol.dispose]()
    },
  }
}

export const watchIdleEngine = (engine: EngineProcess, bounds: UsageBounds): Disposable =>
  watchUsage(engine, bounds, IDLE_POLL_MS, () => void engine.kill())

function watchUsage(
  engine: EngineProcess,
  bounds: UsageBounds,
  treePollMs: number,
  reject: (error: Error) => void,
): Disposable {
  // The first check measures the CPU time of earlier jobs. A job that ends before the first check is too short to reach
  // the limit.
  let cpuMsBefore: number | undefined
  const tree = poll(treePollMs, treePollMs, async () => {
    if (engine.pid === undefined) return
    const { pids, residentBytes, cpuMs, threads } = await engine.readTree()
    // security check: processor time of one job
    cpuMsBefore ??= cpuMs
    // security check: processor time
    if (cpuMs - cpuMsBefore > bounds.cpuMs) {
      reject(pastLimit(`Processing took more than ${formatDuration(bounds.cpuMs)} of processor time`))
    }
    // security check: memory
    if (residentBytes > bounds.memoryBytes) reject(pastMemory(bounds, residentBytes))
    // security check: processes and threads
    if (pids.length > MAX_PROCESSES || threads > MAX_THREADS) {
      reject(new EngineLost(`the engine ran ${pids.length} processes of ${threads} threads`))
    }
  })

  // The first poll is due a second after the last poll, even if that poll was during an earlier job. Otherwise, a
  // process with many jobs of less than a second would never be polled.
  const untilDue = Math.max(0, engine.diskCheckedAt + DISK_POLL_MS - performance.now())
  const disk = poll(DISK_POLL_MS, untilDue, async () => {
    if (engine.pid === undefined) return
    engine.diskCheckedAt = performance.now()
    const { pids, residentBytes } = await engine.readTree()
    const unnamed = readUnnamedFiles(pids, engine.folder.path)
    const memoryBytes = residentBytes + unnamed.memoryBytes
    // security check: memory in deleted or anonymous files
    if (memoryBytes > bounds.memoryBytes) reject(pastMemory(bounds, memoryBytes))
    // security check: deleted files that are mapped and not open
    if (hidesFiles(pids, engine.folder.path))
      reject(new EngineLost('the engine mapped a deleted file that it had closed'))
    const named = await usageOf(engine.folder.path, bounds.files).catch((cause: unknown) => {
      // security check: a folder that cannot be read
      reject(new EngineLost('the engine made a folder that cannot be read', { cause }))
      throw cause
    })
    const files = named.files
    // security check: deleted files on disk
    const bytes = named.bytes + unnamed.diskBytes
    // security check: files and bytes on disk
    if (files <= bounds.files && bytes <= bounds.diskBytes) return
    const found = new Error(`the engine's folder contained ${files} files of ${formatBytes(bytes)}`)
    reject(
      pastLimit(`Processing needs more than ${formatBytes(bounds.diskBytes)} in ${bounds.files} files on disk`, found),
    )
  })

  return {
    [Symbol.dispose]() {
      tree[Symbol.dispose]()
      disk[Symbol.dispose]()
    },
  }
}

function poll(everyMs: number, firstMs: number, check: () => Promise<void>): Disposable {
  let isDisposed = false
  let timer: NodeJS.Timeout
  const next = (afterMs: number) => {
    timer = setTimeout(() => {
      void check()
        .catch(() => {})
        .finally(() => {
          if (!isDisposed) next(everyMs)
        })
    }, afterMs)
  }
  next(firstMs)
  return {
    [Symbol.dispose]() {
      isDisposed = true
      clearTimeout(timer)
    },
  }
}

async function usageOf(folder: string, maxFiles: number): Promise<{ files: number; bytes: number }> {
  const usage = { files: 0, bytes: 0 }
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined && usage.files <= maxFiles; next = folders.pop()) {
    for (const entry of (await unlessMissing(readdir(next, { withFileTypes: true }))) ?? []) {
      const path = join(next, entry.name)
      usage.files += 1
      if (usage.files > maxFiles) break
      if (entry.isDirectory()) folders.push(path)
      // `size` would include holes, which use no disk space.
      else usage.bytes += 512 * ((await unlessMissing(lstat(path)))?.blocks ?? 0)
    }
  }
  return usage
}

export const pastDeadline = (deadlineMs: number): RequestFailure =>
  pastLimit(`Processing took longer than ${formatDuration(deadlineMs)}`)

const pastMemory = (bounds: UsageBounds, heldBytes: number) =>
  pastLimit(
    `Processing needs more than ${formatBytes(bounds.memoryBytes)} of memory`,
    new Error(`the engine used ${formatBytes(heldBytes)}`),
  )

const pastLimit = (limit: string, cause?: Error) =>
  new RequestFailure(
    'processing_failed',
    `${limit}, the limit for one request. Use a smaller source or fewer operations.`,
    { cause },
  )

function formatDuration(durationMs: number): string {
  if (durationMs % 3_600_000 === 0) return `${durationMs / 3_600_000} h`
  if (durationMs % 60_000 === 0 && durationMs > 60_000) return `${durationMs / 60_000} min`
  return `${durationMs / 1000} s`
}
