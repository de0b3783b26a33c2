import { join } from 'node:path'
import { z } from 'zod'
import { DOWNLOAD_MS } from '../../outbound/fetch/download.ts'
import type { SparseFile } from '../../outbound/fetch/sparse-file.ts'
import { openSparseFile } from '../../outbound/fetch/sparse-file.ts'
import type { StoredFile } from '../../uploads/stored-source.ts'
import type { WorkerContext } from '../job-context.ts'
import { onStoreAway, openStoredFile } from '../stored-file.ts'

/** The state of a source that all parts of a video are made from. */
const schema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('url'), total: z.int(), validator: z.string() }),
  z.strictObject({ kind: z.literal('stored'), files: z.array(z.strictObject({ key: z.string(), size: z.int() })) }),
])
export type SourceState = z.output<typeof schema>

/** An engine looks at the index first, and short videos come whole at once. */
export const FIRST_BYTES = 8 * 1024 * 1024

/** Every part needs the index, and that of an hour has a megabyte. */
export const FIRST_BYTES_OF_PART = 1024 * 1024

/**
 * Says by what parts of this source are known to be of one state. `undefined` where its server does not tell, or serves no
 * parts: then it goes in one piece.
 */
export function stateOf(file: SparseFile, stored: StoredFile | undefined): SourceState | undefined {
  if (stored !== undefined) return { kind: 'stored', files: [...stored] }
  const { total, validator } = file.version ?? {}
  return total === undefined || validator === undefined ? undefined : { kind: 'url', total, validator }
}

export type OpenOptions = {
  url: string
  accountId: number
  folder: string
  maxSourceBytes: number
  meter: { bytes: number }
  signal: AbortSignal
}

/** Opens the source of a part by ranges. It is in the state that its plan was made from, or `source_unreachable`. */
export async function openPartSource(
  { store, network, log, connections }: Pick<WorkerContext, 'store' | 'network' | 'log' | 'connections'>,
  kept: unknown,
  { url, accountId, folder, maxSourceBytes, meter, signal }: OpenOptions,
): Promise<SparseFile> {
  const state = schema.parse(kept)
  const path = join(folder, 'source')
  const options = { maxBytes: maxSourceBytes, received: meter, signal, firstBytes: FIRST_BYTES_OF_PART }
  if (state.kind === 'stored')
    return await openStoredFile(store, state.files, path, { ...options, onAway: onStoreAway(log) })
  const { total, validator } = state
  const bounds = { ...options, network, connections: connections?.of(accountId), deadlineMs: DOWNLOAD_MS.video }
  return await openSparseFile(url, path, { ...bounds, of: { total, validator } })
}

/** Brings all of a source that is not there yet, a piece after the other. */
export async function fetchRest(source: SparseFile, signal: AbortSignal): Promise<void> {
  for (let at = source.presentBytes; at < source.size; at += FIRST_BYTES) {
    signal.throwIfAborted()
    await source.fetch(at, Math.min(FIRST_BYTES, source.size - at))
  }
}
