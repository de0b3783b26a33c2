import type { Tier } from '@mediamill/contract/domain/limits'
import { limitsOf } from '@mediamill/contract/domain/limits'
import { isUploadId, UPLOAD_QUOTA_FILES } from '@mediamill/contract/domain/uploads'
import { accountSuspended } from '../accounts/authenticate.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { UploadOwner, UploadRow } from '../db/uploads/uploads.ts'
import { findSignedUpload, findUploads } from '../db/uploads/uploads.ts'
import { noSuchUpload, uploadExpired } from './errors.ts'

export async function findUpload(sql: Sql, owner: UploadOwner, id: string): Promise<UploadRow> {
  const [row] = isUploadId(id) ? await findUploads(sql, owner, [id]) : []
  if (row === undefined) throw noSuchUpload()
  return row
}

export type SignedUpload = UploadRow & { quotaBytes: number; tier: Tier }

export async function findSigned(sql: Sql, id: string): Promise<SignedUpload> {
  const row = await findSignedUpload(sql, id)
  if (row === undefined) throw uploadExpired()
  if (row.suspended) throw accountSuspended()
  const { suspended: _, maxSourceBytes, ...upload } = row
  return { ...upload, quotaBytes: UPLOAD_QUOTA_FILES * limitsOf({ ...upload, own: { maxSourceBytes } }).maxSourceBytes }
}
