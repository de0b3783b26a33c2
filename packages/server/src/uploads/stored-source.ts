import type { SourceErrorCode } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { parseId } from '@mediamill/contract/domain/ids'
import { fileNamed } from '@mediamill/contract/domain/request'
import { isUploadSource, uploadIdOf } from '@mediamill/contract/domain/uploads'
import type { Sql } from '../db/connection/connect.ts'
import { findAnyRequest } from '../db/requests.ts'
import type { UploadOwner } from '../db/uploads/uploads.ts'
import { findUploads, listStoredParts } from '../db/uploads/uploads.ts'
import type { Links } from '../requests/present.ts'
import { isTimeOf, ownResult } from '../store/link.ts'

export type StoredFile = readonly { key: string; size: number }[]

type OwnVerdict = { ok: true } | { ok: false; code: SourceErrorCode; message: string }

/** Checks the sources that are uploads, or results of this account (sources.own_results.1). Omits other URLs. */
export async function checkOwnSources(
  sql: Sql,
  links: Links,
  owner: UploadOwner,
  sources: readonly string[],
): Promise<Map<string, OwnVerdict>> {
  const ids = sources.flatMap((source) => uploadIdOf(source) ?? [])
  const found = new Map(
    ids.length === 0 ? [] : (await findUploads(sql, owner, [...new Set(ids)])).map((row) => [row.id, row]),
  )
  const verdicts = sources.map(async (source): Promise<[string, OwnVerdict][]> => {
    if (isUploadSource(source)) return [[source, verdictOn(found.get(uploadIdOf(source) ?? '')?.status)]]
    const result = await findOwnResult(sql, links, owner, source)
    return result === undefined ? [] : [[source, { ok: true }]]
  })
  return new Map((await Promise.all(verdicts)).flat())
}

function verdictOn(status: string | undefined): OwnVerdict {
  if (status === 'complete') return { ok: true }
  return { ok: false, ...(status === undefined ? NOT_FOUND : INCOMPLETE) }
}

export const NOT_FOUND = {
  code: 'upload_not_found',
  message: 'There is no such upload in this account and mode, or it has expired. Send the file again.',
} as const

export const INCOMPLETE = {
  code: 'upload_incomplete',
  message: 'The upload is not complete yet. Send the rest of the file first.',
} as const

/** Returns the stored file of a source, or `undefined` unless the source is an upload, or a result of this account. */
export async function findStoredSource(
  sql: Sql,
  links: Links,
  owner: UploadOwner,
  source: string,
): Promise<StoredFile | undefined> {
  if (!isUploadSource(source)) return await findOwnResult(sql, links, owner, source)
  return await listStoredParts(sql, owner, uploadIdOf(source) ?? '')
}

async function findOwnResult(
  sql: Sql,
  links: Links,
  { accountId }: UploadOwner,
  url: string,
): Promise<StoredFile | undefined> {
  const link = ownResult(links.keys, links.baseUrl, url, new Date())
  const id = parseId<RequestId>(link?.id ?? '')
  const row = id === undefined ? undefined : await findAnyRequest(sql, id)
  if (row?.accountId !== accountId) return undefined
  if (row.deletedAt === null || !isTimeOf(row.deletedAt, link?.expires)) return undefined
  const file = fileNamed(row.files ?? [], link?.file)
  return row.filesDeleted || file === undefined ? undefined : [{ key: file.key, size: file.size }]
}
