import { SOURCE_CONTENT_TYPES } from '@mediamill/contract/domain/media'
import { isUploadId, uploadIdOf } from '@mediamill/contract/domain/uploads'
import type { Sql } from '../db/connection/connect.ts'
import type { RequestRow } from '../db/requests.ts'
import type { UploadOwner } from '../db/uploads/uploads.ts'
import { findUploads, listStoredParts } from '../db/uploads/uploads.ts'
import type { Store } from '../store/store.ts'
import { readParts } from './read-parts.ts'

type OpenSource = { contentType: string; size: number; body: AsyncIterable<Buffer> }

export async function openSource(
  sql: Sql,
  store: Pick<Store, 'open'>,
  { accountId, livemode, source }: RequestRow,
): Promise<OpenSource | undefined> {
  return await openUpload(sql, store, { accountId, livemode }, uploadIdOf(source) ?? '')
}

export async function openUpload(
  sql: Sql,
  store: Pick<Store, 'open'>,
  owner: UploadOwner,
  id: string,
): Promise<OpenSource | undefined> {
  if (!isUploadId(id)) return undefined
  const [upload] = await findUploads(sql, owner, [id])
  const parts = await listStoredParts(sql, owner, id)
  if (upload?.status !== 'complete' || parts === undefined) return undefined
  const types: Readonly<Record<string, string | undefined>> = SOURCE_CONTENT_TYPES
  return {
    contentType: types[upload.format ?? ''] ?? 'application/octet-stream',
    size: parts.reduce((sum, { size }) => sum + size, 0),
    body: readParts(store, parts),
  }
}
