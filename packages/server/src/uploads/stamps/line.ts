import type { Sql } from '../../db/connection/connect.ts'
import type { StampClaim, StampOutcome } from '../../db/uploads/stamps.ts'
import { claimStamp, renewStamps, settleStamp } from '../../db/uploads/stamps.ts'
import type { UploadRow } from '../../db/uploads/uploads.ts'
import type { UploadDesk } from '../desk.ts'
import type { FileSummary } from '../summary.ts'

export type { StampClaim, StampOutcome } from '../../db/uploads/stamps.ts'
export { releaseStamps } from '../../db/uploads/stamps.ts'

/** A worker that died leaves its stamps to others so long after. */
const LEASE_MS = 10_000

/** Nobody waits for a stamp any more, or another worker draws it. */
export class StampUnwanted extends Error {
  override name = 'StampUnwanted'
}

/** Claims a stamp to draw. No account has more than half of a worker's places in work at once. */
export async function claimNext(sql: Sql, places: number): Promise<StampClaim | undefined> {
  return await claimStamp(sql, { perAccount: Math.max(1, Math.floor(places / 2)), leaseMs: LEASE_MS })
}

/** Renews the leases of a worker. Returns the ids of the text watermarks that are no longer its to draw. */
export async function findLost(sql: Sql, running: readonly StampClaim[]): Promise<string[]> {
  if (running.length === 0) return []
  const wanted = new Set(await renewStamps(sql, running, LEASE_MS))
  return running.flatMap(({ id }) => (wanted.has(id) ? [] : [id]))
}

/** Tells why a stamp was not drawn; `false` when nobody waits for it any more. */
export async function refuseStamp(
  sql: Sql,
  claim: StampClaim,
  outcome: Exclude<StampOutcome, { status: 'drawn' }>,
): Promise<boolean> {
  return await settleStamp(sql, claim, outcome, null)
}

/**
 * Keeps a drawn stamp as an upload, in the transaction that answers its call. It is there for a call, or not at all.
 *
 * Throws `StampUnwanted`, and what an upload is refused with.
 */
export async function keepStamp(
  desk: UploadDesk,
  claim: StampClaim,
  file: { bytes: number; width: number; height: number },
  read: (summary: FileSummary) => AsyncIterable<Buffer>,
): Promise<UploadRow> {
  const { bytes, width, height } = file
  return await desk.receiveWhole(claim, { size: bytes }, { roomBytes: claim.roomBytes }, read, async (tx, upload) => {
    if (!(await settleStamp(tx, claim, { status: 'drawn', width, height }, upload.id))) throw new StampUnwanted()
  })
}
