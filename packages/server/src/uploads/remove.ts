import type { Sql } from '../db/connection/connect.ts'
import {
  claimAbandonedChunks,
  correctQuotas,
  deleteUploads,
  listMarkedParts,
  markUpload,
  takeExpiredUploads,
} from '../db/uploads/delete.ts'
import { claimAbandonedStamps } from '../db/uploads/stamps.ts'
import type { UploadOwner } from '../db/uploads/uploads.ts'
import { settleAll } from '../lib/settle-all.ts'
import type { Store } from '../store/store.ts'
import { noSuchUpload, uploadInUse } from './errors.ts'

const BATCH = 100

/** How long a deletion may take until another process repeats it. Longer than the store's timeouts (`store/s3.ts`). */
const LEASE_MS = 600_000

const AGAIN_MS = 60_000

type Discarding = Pick<Store, 'discard'>

export async function removeUpload(sql: Sql, store: Discarding, owner: UploadOwner, id: string): Promise<void> {
  const marked = await sql.begin(async (tx) => await markUpload(tx, owner, id, LEASE_MS))
  if (marked === 'missing') throw noSuchUpload()
  if (marked === 'in_use') throw uploadInUse()
  // Clients cannot use the upload any more. If the store fails here, the cleanup deletes the files later.
  await deleteMarked(sql, store, [id]).catch(() => undefined)
}

/** Deletes marked uploads. Deletes files before rows, so that the cleanup can continue after a crash. */
export async function deleteMarked(sql: Sql, store: Discarding, ids: readonly string[]): Promise<number> {
  const parts = Map.groupBy(await listMarkedParts(sql, ids), ({ uploadId }) => uploadId)
  const { done, failure } = await settleAll(ids, async (id) => {
    for (const { key } of parts.get(id) ?? []) await store.discard(key)
    return id
  })
  const count = await deleteUploads(sql, done)
  if (failure !== undefined) throw failure.reason
  return count
}

/** Deletes expired uploads, and form files of ended requests. Returns the number of deleted uploads. */
export async function deleteDueUploads(sql: Sql, store: Discarding): Promise<number> {
  let count = 0
  for (;;) {
    const due = { limit: BATCH, leaseMs: LEASE_MS, againMs: AGAIN_MS }
    const { ids, checked } = await sql.begin(async (tx) => await takeExpiredUploads(tx, due))
    if (ids.length > 0) count += await deleteMarked(sql, store, ids)
    if (checked < BATCH) return count
  }
}

/** Deletes files of chunks whose writers stopped, and corrects the stored quotas. */
export async function sweepChunks(sql: Sql, store: Discarding): Promise<void> {
  for (const key of await claimAbandonedChunks(sql, BATCH)) await store.discard(key)
  await correctQuotas(sql)
}

/** Deletes text watermarks whose call ended without a response, and their uploads. No client has the upload ids. */
export async function sweepStamps(sql: Sql, store: Discarding): Promise<void> {
  for (const { uploadId, ...owner } of await claimAbandonedStamps(sql)) {
    if (uploadId === null) continue
    const marked = await sql.begin(async (tx) => await markUpload(tx, owner, uploadId, LEASE_MS))
    if (marked === 'deleting') await deleteMarked(sql, store, [uploadId])
  }
}
