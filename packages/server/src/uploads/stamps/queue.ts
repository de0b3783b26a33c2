import type { Sql } from '../../db/connection/connect.ts'
import type { StampClaim, StampOutcome } from '../../db/uploads/stamps.ts'
import { claimStamp, renewStamps, settleStamp } from '../../db/uploads/stamps.ts'
import type { UploadRow } from '../../db/uploads/uploads.ts'
import type { FileSummary } from '../summary.ts'
import type { UploadReceiver } from '../upload-receiver.ts'

export type { StampClaim, StampOutcome } from '../../db/uploads/stamps.ts'
export { releaseStamps } from '../../db/uploads/stamps.ts'

/** If a worker does not renew its text watermarks for this time, other workers claim them. */
const LEASE_MS = 10_000

/** Thrown if a text watermark is not needed: no call waits for it any more, or another worker draws it. */
export class TextWatermarkAbandoned extends Error {
  override name = 'TextWatermarkAbandoned'
}

/** Claims the next text watermark. Over all workers, an account may occupy at most half of `slots`. */
export async function claimNext(sql: Sql, slots: number): Promise<StampClaim | undefined> {
  return await claimStamp(sql, { perAccount: Math.max(1, Math.floor(slots / 2)), leaseMs: LEASE_MS })
}

export async function findLost(sql: Sql, running: readonly StampClaim[]): Promise<string[]> {
  if (running.length === 0) return []
  const wanted = new Set(await renewStamps(sql, running, LEASE_MS))
  return running.flatMap(({ id }) => (wanted.has(id) ? [] : [id]))
}

export async function failStamp(
  sql: Sql,
  claim: StampClaim,
  outcome: Exclude<StampOutcome, { status: 'drawn' }>,
): Promise<boolean> {
  return await settleStamp(sql, claim, outcome, null)
}

/** Stores an image and completes its text watermark in one transaction. Throws `TextWatermarkAbandoned` or an upload error. */
export async function keepStamp(
  receiver: UploadReceiver,
  claim: StampClaim,
  file: { bytes: number; width: number; height: number },
  read: (summary: FileSummary) => AsyncIterable<Buffer>,
): Promise<UploadRow> {
  const { bytes, width, height } = file
  return await receiver.receiveWhole(
    claim,
    { size: bytes },
    { quotaBytes: claim.quotaBytes },
    read,
    async (tx, upload) => {
      if (!(await settleStamp(tx, claim, { status: 'drawn', width, height }, upload.id)))
        throw new TextWatermarkAbandoned()
    },
  )
}
