import { join } from 'node:path'
import { workOf } from '@mediamill/contract/endpoints/work'
import { DOWNLOAD_MS, download } from '../outbound/fetch/download.ts'
import type { SparseFile } from '../outbound/fetch/source-file.ts'
import { openSparseFile } from '../outbound/fetch/sparse-file.ts'
import type { Claim } from '../requests/claim.ts'
import { traced } from '../telemetry/trace.ts'
import type { StoredFile } from '../uploads/stored-source.ts'
import { findStoredSource } from '../uploads/stored-source.ts'
import type { Attempt, JobContext } from './job-context.ts'
import { onStoreAway, openStoredFile } from './stored-file.ts'

export type FetchedSource = { file: SparseFile; stored?: StoredFile | undefined }

export const sourcePath = ({ folder }: Pick<Attempt, 'folder'>): string => join(folder, 'source')

export async function fetchSource(
  context: JobContext,
  claim: Claim,
  attempt: Attempt,
  firstBytes: number | undefined,
): Promise<FetchedSource> {
  return await traced(context.span, 'source', () => fetchNow(context, claim, attempt, firstBytes))
}

async function fetchNow(
  { sql, links, store, network, log, ...context }: JobContext,
  { request, maxSourceBytes }: Claim,
  attempt: Attempt,
  firstBytes: number | undefined,
): Promise<FetchedSource> {
  const { meter, signal } = attempt
  const path = sourcePath(attempt)
  const url = request.source
  const connections = context.connections?.of(request.accountId)
  const deadlineMs = DOWNLOAD_MS[workOf(request).endpoint.media]
  const options = { maxBytes: maxSourceBytes, deadlineMs, received: meter, network, connections, signal }
  const stored = await findStoredSource(sql, links, request, url)
  if (stored !== undefined) {
    const beginning = { ...options, ...(firstBytes !== undefined && { firstBytes }), onAway: onStoreAway(log) }
    return { file: await openStoredFile(store, stored, path, beginning), stored }
  }
  const isSample = network.samples?.has(url) === true
  if (firstBytes !== undefined && !isSample)
    return { file: await openSparseFile(url, path, { ...options, firstBytes }) }
  return { file: await download(url, path, options) }
}
