import { join } from 'node:path'
import { z } from 'zod'
import { DOWNLOAD_MS } from '../../outbound/fetch/download.ts'
import type { SparseFile } from '../../outbound/fetch/source-file.ts'
import { openSparseFile } from '../../outbound/fetch/sparse-file.ts'
import type { StoredFile } from '../../uploads/stored-source.ts'
import type { WorkerContext } from '../job-context.ts'
import { onStoreAway, openStoredFile } from '../stored-file.ts'

const schema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('url'), total: z.int(), validator: z.string() }),
  z.strictObject({ kind: z.literal('stored'), files: z.array(z.strictObject({ key: z.string(), size: z.int() })) }),
])
export type SourceState = z.output<typeof schema>

/** How many bytes to fetch first. They usually contain the index, which an engine reads first, or a short video. */
export const FIRST_BYTES = 8 * 1024 * 1024

/** How many bytes to fetch first for a segment. They must contain the index, which has about 1 MB per hour of video. */
export const FIRST_BYTES_OF_SEGMENT = 1024 * 1024

/** Returns the version of the source that all segments must read, or `undefined` if the version is unknown. */
export function stateOf(file: SparseFile, stored: StoredFile | undefined): SourceState | undefined {
  if (stored !== undefined) return { kind: 'stored', files: [...stored] }
  const { total, validator } = file.version ?? {}
  return total === undefined || validator === undefined ? undefined : { kind: 'url', total, validator }
}

type OpenOptions = {
  url: string
  accountId: number
  folder: string
  maxSourceBytes: number
  meter: { bytes: number }
  signal: AbortSignal
}

/** Opens the source of a segment. If the source has changed since the plan, throws `source_unreachable`. */
export async function openSegmentSource(
  { store, network, log, connections }: Pick<WorkerContext, 'store' | 'network' | 'log' | 'connections'>,
  kept: unknown,
  { url, accountId, folder, maxSourceBytes, meter, signal }: OpenOptions,
): Promise<SparseFile> {
  const state = schema.parse(kept)
  const path = join(folder, 'source')
  const options = { maxBytes: maxSourceBytes, received: meter, signal, firstBytes: FIRST_BYTES_OF_SEGMENT }
  if (state.kind === 'stored')
    return await openStoredFile(store, state.files, path, { ...options, onAway: onStoreAway(log) })
  const { total, validator } = state
  const bounds = { ...options, network, connections: connections?.of(accountId), deadlineMs: DOWNLOAD_MS.video }
  return await openSparseFile(url, path, { ...bounds, of: { total, validator } })
}

export async function fetchRest(source: SparseFile, signal: AbortSignal): Promise<void> {
  for (let at = source.presentBytes; at < source.size; at += FIRST_BYTES) {
    signal.throwIfAborted()
    await source.fetch(at, Math.min(FIRST_BYTES, source.size - at))
  }
}
