import type { Sql } from '../db/connection/connect.ts'
import {
  correctQuotas,
  deleteUpload,
  listUploadKeys,
  markUpload,
  takeDeadParts,
  takeExpiredUploads,
} from '../db/uploads/delete.ts'
import { claimAbandonedStamps } from '../db/uploads/stamps.ts'
import type { UploadOwner } from '../db/uploads/uploads.ts'
import type { Store } from '../store/store.ts'
import { noSuchUpload, uploadInUse } from './errors.ts'

const BATCH = 100

/** The lease of a deletion. It is longer than the timeout of a store that hangs (`store/s3.ts`). */
const LEASE_MS = 600_000

const AGAIN_MS = 60_000

type Discarding = Pick<Store, 'discard'>

/** Deletes an upload of the owner. Throws `not_found`, or `upload_in_use` if an open request uses it. */
export async function removeUpload(sql: Sql, store: Discarding, owner: UploadOwner, id: string): Promise<void> {
  const marked = await sql.begin(async (tx) => await markUpload(tx, owner, id, LEASE_MS))
  if (marked === 'missing') throw noSuchUpload()
  if (marked === 'in_use') throw uploadInUse()
  // For clients, the upload is gone. If the store fails now, the cleanup deletes the files.
  await deleteMarked(sql, store, id).catch(() => undefined)
}

/** Deletes the files of a marked upload, and then its row. After a crash, the cleanup repeats it. */
export async function deleteMarked(sql: Sql, store: Discarding, id: string): Promise<boolean> {
  for (const key of await listUploadKeys(sql, id)) await store.discard(key)
  return await deleteUpload(sql, id)
}

export async function sweepUploads(sql: Sql, store: Discarding): Promise<number> {
  let count = 0
  for (const key of await takeDeadParts(sql, BATCH)) await store.discard(key)
  for (;;) {
    const due = { limit: BATCH, leaseMs: LEASE_MS, againMs: AGAIN_MS }
    const { ids, looked } = await sql.begin(async (tx) => await takeExpiredUploads(tx, due))
    const outcomes = await Promise.allSettled(ids.map((id) => deleteMarked(sql, store, id)))
    count += outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
    const stuck = outcomes.find((outcome) => outcome.status === 'rejected')
    if (stuck !== undefined) throw stuck.reason
    if (looked < BATCH) break
  }
  await correctQuotas(sql)
  return count
}

/** Deletes text watermarks whose call ended without a response, with their uploads, whose ids no client has. */
export async function sweepStamps(sql: Sql, store: Discarding): Promise<void> {
  for (const { uploadId, ...owner } of await claimAbandonedStamps(sql)) {
    if (uploadId === null) continue
    const marked = await sql.begin(async (tx) => await markUpload(tx, owner, uploadId, LEASE_MS))
    if (marked === 'deleting') await deleteMarked(sql, store, uploadId)
  }
}
