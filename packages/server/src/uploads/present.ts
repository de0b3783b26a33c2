import { uploadSource } from '@mediamill/contract/domain/uploads'
import type { UploadBody } from '@mediamill/contract/objects/upload'
import type { UploadRow } from '../db/uploads/uploads.ts'
import type { Links } from '../requests/present.ts'
import { uploadUrl } from '../store/link.ts'

export function presentUpload(row: UploadRow, links: Links): UploadBody {
  const heading = { id: row.id, object: 'upload' as const }
  const named = { source: uploadSource(row.id), ...(row.filename !== null && { filename: row.filename }) }
  const times = { created_at: row.createdAt.toISOString(), expires_at: row.expiresAt.toISOString() }
  if (row.status === 'complete' && row.sha256 !== null) {
    const fields = { size: row.size, sha256: row.sha256, format: row.format }
    return { ...heading, status: 'complete', ...named, ...fields, ...times }
  }
  const url = uploadUrl(links.keys, links.baseUrl, row.id, row.expiresAt)
  const fields = { size: row.size, received: row.received, upload_url: url }
  return { ...heading, status: 'waiting', ...named, ...fields, ...times }
}
