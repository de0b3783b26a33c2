import type { Sql } from '../../db/connection/connect.ts'
import type { UploadOwner, UploadRow } from '../../db/uploads/uploads.ts'
import { findSignedUpload, findUploads } from '../../db/uploads/uploads.ts'
import { isUploadId } from '../../domain/uploads.ts'
import { accountSuspended } from '../accept.ts'
import { noSuchUpload, uploadExpired } from './refusals.ts'

/** The owner's upload; another's is `not_found`, exactly as one that never was. */
export async function findUpload(sql: Sql, owner: UploadOwner, id: string): Promise<UploadRow> {
  const [row] = isUploadId(id) ? await findUploads(sql, owner, [id]) : []
  if (row === undefined) throw noSuchUpload()
  return row
}

/** The upload behind a signed URL whose signature is right. Throws `upload_expired`, and for a suspended account. */
export async function findSigned(sql: Sql, id: string): Promise<UploadRow> {
  const row = await findSignedUpload(sql, id)
  if (row === undefined) throw uploadExpired()
  // wall: a signed URL of a suspended account
  if (row.suspended) throw accountSuspended()
  return row
}
