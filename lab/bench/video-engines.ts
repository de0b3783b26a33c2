import path from 'node:path'
import { download } from '@mediamill/server/outbound/fetch/download'
import type { SparseFile } from '@mediamill/server/outbound/fetch/source-file'
import { openSparseFile } from '@mediamill/server/outbound/fetch/sparse-file'
import { parseAllowedHosts } from '@mediamill/server/outbound/guard/allowed-hosts'
import type { OwnConnections } from '@mediamill/server/outbound/kept-connections'
import type { Isolation } from '@mediamill/server/supervisor/isolation/isolation'
import { chooseIsolation } from '@mediamill/server/supervisor/isolation/isolation'
import type { Scratch } from '@mediamill/server/supervisor/scratch'
import { openScratch } from '@mediamill/server/supervisor/scratch'
import { createVideoEngines } from '@mediamill/server/supervisor/video-engines'
import { createLog } from '@mediamill/server/telemetry/log'

const GIB = 1024 ** 3

export const LIMITS = { maxFramePixels: 100_000_000, maxSourcePixels: 400_000_000, maxResultBytes: 2 * GIB }

const FETCH_MS = 600_000

type BenchEngines = AsyncDisposable & ReturnType<typeof createVideoEngines> & { scratch: Scratch; isolation: Isolation }

export async function openVideoEngines(folder: string, concurrency: number): Promise<BenchEngines> {
  const scratch = await openScratch(folder)
  const log = createLog('silent', 'bench')
  const entry = path.join(import.meta.dirname, '../../packages/engines/src/video/main.ts')
  const isolation = await chooseIsolation({ setting: 'auto', scratch, entries: [entry], log })
  const engines = createVideoEngines({
    entry,
    concurrency,
    memoryBytes: 4 * GIB,
    fileBytes: LIMITS.maxResultBytes,
    deadlineMs: 3_600_000,
    sourceMs: FETCH_MS,
    budgetBytes: 4 * GIB,
    isolation,
    scratch,
    log,
  })
  return {
    ...engines,
    scratch,
    isolation,
    async [Symbol.asyncDispose]() {
      await engines[Symbol.asyncDispose]()
      await scratch[Symbol.asyncDispose]()
    },
  }
}

export async function downloadSource({ url, host }: { url: string; host: string }, file: string): Promise<void> {
  const options = { deadlineMs: FETCH_MS, maxBytes: 4 * GIB, signal: AbortSignal.timeout(FETCH_MS) }
  await download(url, file, { ...options, network: { allowedHosts: parseAllowedHosts(host) } })
}

/** Opens a source that is downloaded in ranges. Without `connections`, each range opens a new connection. */
export async function openSource(
  { url, host }: { url: string; host: string },
  file: string,
  { firstBytes, connections }: { firstBytes: number; connections?: OwnConnections },
): Promise<SparseFile> {
  return await openSparseFile(url, file, {
    firstBytes,
    connections,
    deadlineMs: FETCH_MS,
    maxBytes: 4 * GIB,
    network: { allowedHosts: parseAllowedHosts(host) },
    signal: AbortSignal.timeout(FETCH_MS),
  })
}
