import { SOURCE_CONTENT_TYPES } from '@mediamill/contract/domain/media'
import { isUploadId } from '@mediamill/contract/domain/uploads'
import type { Sql } from '../db/connection/connect.ts'
import type { UploadOwner } from '../db/uploads/uploads.ts'
import { findUploads, listStoredParts } from '../db/uploads/uploads.ts'
import type { Store } from '../store/store.ts'
import { readParts } from './read-parts.ts'

type OpenUpload = { contentType: string; size: number; body: AsyncIterable<Buffer> }

export async function openUpload(
  sql: Sql,
  store: Pick<Store, 'open'>,
  owner: UploadOwner,
  id: string,
): Promise<OpenUpload | undefined> {
  if (!isUploadId(id)) return undefined
  const [upload] = await findUploads(sql, owner, [id])
  if (upload?.status !== 'complete') return undefined
  const parts = await listStoredParts(sql, owner, id)
  const types: Readonly<Record<string, string | undefined>> = SOURCE_CONTENT_TYPES
  return {
    contentType: types[upload.format ?? ''] ?? 'application/octet-stream',
    size: parts.reduce((sum, { size }) => sum + size, 0),
    body: readParts(store, parts),
  }
}
