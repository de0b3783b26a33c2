import { join } from 'node:path'
import { RequestFailure } from '../domain/errors.ts'
import { WATERMARK_FORMATS } from '../domain/media.ts'
import type { EngineAsset } from '../engines/protocol/messages.ts'
import { sniff } from '../media/formats/sniff.ts'
import type { OperationInput } from '../operations/schema.ts'
import { assetsOf } from '../operations/schema.ts'
import { DOWNLOAD_MS, download } from '../outbound/fetch/download.ts'
import type { SparseFile } from '../outbound/fetch/sparse-file.ts'
import type { Network } from '../outbound/network.ts'
import type { StoredOptions } from './stored-file.ts'
import { unsupportedMark } from './unsupported.ts'

export type AssetOptions = {
  maxBytes: number
  network: Network
  signal: AbortSignal
  /** Opens a file that the store has; `undefined` for a URL like any other. Missing: the store is not asked. */
  openStored?: (url: string, path: string, options: StoredOptions) => Promise<SparseFile | undefined>
}

/**
 * Fetches the files that operations name, each URL once a request (rulings 9).
 *
 * A failure carries the index of the first operation that needs the file (rulings 14).
 */
export async function fetchAssets(
  operations: readonly OperationInput[],
  folder: string,
  fetching: AssetOptions,
): Promise<EngineAsset[]> {
  const wanted = new Map<string, number>()
  for (const { url, operation } of assetsOf(operations)) if (!wanted.has(url)) wanted.set(url, operation)
  const fetches = [...wanted].map(async ([url, operation], index): Promise<EngineAsset> => {
    try {
      return await fetchAsset(url, join(folder, `asset-${index}`), fetching)
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error
      throw new RequestFailure(error.code, error.message, { operation, cause: error.cause })
    }
  })
  return await Promise.all(fetches)
}

async function fetchAsset(url: string, path: string, fetching: AssetOptions): Promise<EngineAsset> {
  const options = { ...fetching, deadlineMs: DOWNLOAD_MS.image, subject: 'watermark image' } as const
  const { bytes, head } = (await readStored(url, path, fetching)) ?? (await download(url, path, options))
  const format = sniff(head)
  // wall: a watermark of any format
  const known = WATERMARK_FORMATS.find((name) => name === format)
  if (known === undefined) throw unsupportedMark(head, format)
  return { url, path, format: known, size: bytes }
}

async function readStored(url: string, path: string, fetching: AssetOptions) {
  const { maxBytes, signal } = fetching
  await using file = await fetching.openStored?.(url, path, { maxBytes, signal, subject: 'watermark image' })
  return file && { bytes: file.size, head: file.head }
}
