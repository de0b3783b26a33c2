import { join } from 'node:path'
import { failureOfOutput, RequestFailure } from '@mediamill/contract/domain/errors'
import { WATERMARK_FORMATS } from '@mediamill/contract/domain/media'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { FurtherSource } from '@mediamill/contract/endpoints/endpoint'
import type { AdditionalInput } from '@mediamill/engines/protocol/messages'
import { sniff } from '@mediamill/media/formats/sniff'
import { DOWNLOAD_MS, download } from '../outbound/fetch/download.ts'
import type { SparseFile } from '../outbound/fetch/sparse-file.ts'
import type { OwnConnections } from '../outbound/kept-connections.ts'
import type { Network } from '../outbound/network.ts'
import { findStoredSource } from '../uploads/stored-source.ts'
import type { WorkerContext } from './job-context.ts'
import type { StoredOptions } from './stored-file.ts'
import { onStoreAway, openStoredFile } from './stored-file.ts'
import { unsupportedMark } from './unsupported.ts'

export type FetchOptions = {
  maxBytes: number
  network: Network
  connections?: OwnConnections | undefined
  signal: AbortSignal
  /** Opens a stored file. Returns `undefined` for a URL. If this function is missing, fetches all files by URL. */
  openStored?: (url: string, path: string, options: StoredOptions) => Promise<SparseFile | undefined>
}

/** Fetches the additional files of a request. Reads stored files from the store, and fetches all others by URL. */
export async function fetchFurtherOf(
  { limits, network, connections, sql, links, store, log }: WorkerContext,
  request: MediaRequest,
  sources: readonly FurtherSource[],
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<AdditionalInput[]> {
  return await fetchFurtherSources(sources, folder, {
    maxBytes: limits.watermarkBytes,
    network,
    connections: connections?.of(request.accountId),
    signal,
    async openStored(url, to, options) {
      const stored = await findStoredSource(sql, links, request, url)
      return stored && (await openStoredFile(store, stored, to, { ...options, onAway: onStoreAway(log) }))
    },
  })
}

/** Fetches the additional files of a request. Fetches each URL only once (operations.watermark.5). */
async function fetchFurtherSources(
  sources: readonly FurtherSource[],
  folder: string,
  fetching: FetchOptions,
): Promise<AdditionalInput[]> {
  const firstByUrl = [...Map.groupBy(sources, ({ url }) => url).values()].flatMap(([first]) => first ?? [])
  const fetches = firstByUrl.map(async ({ url, operation, output }, index): Promise<AdditionalInput> => {
    try {
      return await fetchAsset(url, join(folder, `asset-${index}`), fetching)
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error
      const { code, message, cause } = error
      const failure = new RequestFailure(code, message, { cause, ...(operation !== undefined && { operation }) })
      throw output === undefined ? failure : failureOfOutput(output, failure)
    }
  })
  return await Promise.all(fetches)
}

async function fetchAsset(url: string, path: string, fetching: FetchOptions): Promise<AdditionalInput> {
  const options = { ...fetching, deadlineMs: DOWNLOAD_MS.image, subject: 'watermark image' } as const
  const { bytes, head } = (await readStored(url, path, fetching)) ?? (await download(url, path, options))
  const format = sniff(head)
  const known = WATERMARK_FORMATS.find((name) => name === format)
  if (known === undefined) throw unsupportedMark(head, format)
  return { url, path, format: known, size: bytes }
}

async function readStored(url: string, path: string, fetching: FetchOptions) {
  const { maxBytes, signal } = fetching
  await using file = await fetching.openStored?.(url, path, { maxBytes, signal, subject: 'watermark image' })
  return file && { bytes: file.size, head: file.head }
}
