import { join } from 'node:path'
import { failureOfOutput, RequestFailure } from '@mediamill/contract/domain/errors'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { FurtherSource } from '@mediamill/contract/endpoints/endpoint'
import type { AdditionalInput } from '@mediamill/engines/protocol/messages'
import { DOWNLOAD_MS, download } from '../outbound/fetch/download.ts'
import { findStoredSource } from '../uploads/stored-source.ts'
import { watermarkInput } from './engine-input.ts'
import type { WorkerContext } from './job-context.ts'
import { onStoreAway, openStoredFile } from './stored-file.ts'

/** Fetches the watermarks of a request. Fetches each URL only once (operations.watermark.5). */
export async function fetchFurtherOf(
  context: WorkerContext,
  request: MediaRequest,
  sources: readonly FurtherSource[],
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<AdditionalInput[]> {
  const firstByUrl = [...Map.groupBy(sources, ({ url }) => url).values()].flatMap(([first]) => first ?? [])
  const fetches = firstByUrl.map(async ({ url, operation, output }, index): Promise<AdditionalInput> => {
    try {
      return await fetchWatermark(context, request, url, { path: join(folder, `asset-${index}`), signal })
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error
      const { code, message, cause } = error
      const failure = new RequestFailure(code, message, { cause, operation })
      throw output === undefined ? failure : failureOfOutput(output, failure)
    }
  })
  return await Promise.all(fetches)
}

async function fetchWatermark(
  { limits, network, connections, sql, links, store, log }: WorkerContext,
  request: MediaRequest,
  url: string,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<AdditionalInput> {
  const options = { maxBytes: limits.watermarkBytes, signal, subject: 'watermark image' } as const
  const own = connections?.of(request.accountId)
  const stored = await findStoredSource(sql, links, request, url)
  await using file =
    stored === undefined
      ? await download(url, path, { ...options, network, connections: own, deadlineMs: DOWNLOAD_MS.image })
      : await openStoredFile(store, stored, path, { ...options, onAway: onStoreAway(log) })
  return watermarkInput(url, path, file)
}
