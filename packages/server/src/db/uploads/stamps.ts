import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import type { Runner } from '../connection/connect.ts'
import type { UploadOwner } from './uploads.ts'

export type StampOutcome =
  | { status: 'drawn'; width: number; height: number }
  | { status: 'failed'; code: string; message: string }
  | { status: 'ours' }

type PreviewOrder = { type: 'preview'; request: RequestId }

export type NewStamp = UploadOwner & {
  id: string
  stamp: Stamp | PreviewOrder
  quotaBytes: number
  sourceBytes: number
  waitMs: number
  /** The maximum number of open watermarks per account and mode. Previews have a separate limit of the same size. */
  atOnce: number
}

/** Creates a text watermark, or returns `false` if too many are open. Locks the account, to count them exactly. */
export async function insertStamp(tx: Runner, stamp: NewStamp): Promise<boolean> {
  const { id, accountId, livemode, quotaBytes, sourceBytes, waitMs, atOnce } = stamp
  await tx`select pg_advisory_xact_lock(hashtextextended('mediamill stamps ' || ${accountId}::text, 0))`
  const inserted = await tx`
    insert into stamps (id, account_id, livemode, stamp, room_bytes, source_bytes, wanted_until)
    select ${id}, ${accountId}, ${livemode}, ${JSON.stringify(stamp.stamp)}::text::jsonb, ${quotaBytes}::bigint,
      ${sourceBytes}::bigint, now() + ${waitMs} * interval '1 millisecond'
    where (
      select count(*) from stamps where account_id = ${accountId} and livemode = ${livemode} and wanted_until > now()
        and (stamp ->> 'type' = 'preview') = ${stamp.stamp.type === 'preview'}
    ) < ${atOnce}::integer`
  return inserted.count > 0
}

export type StampClaim = UploadOwner & {
  id: string
  stamp: Stamp | PreviewOrder
  quotaBytes: number
  sourceBytes: number
  attempt: number
  leftMs: number
}

export async function claimStamp(
  sql: Runner,
  { perAccount, leaseMs }: { perAccount: number; leaseMs: number },
): Promise<StampClaim | undefined> {
  const [row] = await sql<StampClaim[]>`
    with next as (
      select s.id from stamps s, lateral (
        select count(*) as count from stamps o
        where o.account_id = s.account_id and o.outcome is null and o.lease_until > now() and o.wanted_until > now()
      ) drawing
      where s.outcome is null and s.wanted_until > now() and (s.lease_until is null or s.lease_until <= now())
        and drawing.count < ${perAccount}::integer
      order by drawing.count, s.created_at, s.id
      limit 1 for update of s skip locked
    )
    update stamps s set attempt = s.attempt + 1, lease_until = now() + ${leaseMs} * interval '1 millisecond'
    from next where s.id = next.id
    returning s.id, s.account_id as "accountId", s.livemode, s.stamp, s.room_bytes as "quotaBytes",
      s.source_bytes as "sourceBytes", s.attempt,
      (extract(epoch from s.wanted_until - now()) * 1000)::integer as "leftMs"`
  return row
}

/** Renews a worker's claims. Returns the ids of the text watermarks that the worker should continue to draw. */
export async function renewStamps(
  sql: Runner,
  held: readonly { id: string; attempt: number }[],
  leaseMs: number,
): Promise<string[]> {
  if (held.length === 0) return []
  const rows = await sql<{ id: string }[]>`
    update stamps s set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    from unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ attempt }) => attempt)}::integer[]) h (id, attempt)
    where s.id = h.id and s.attempt = h.attempt and s.outcome is null and s.wanted_until > now()
    returning s.id`
  return rows.map(({ id }) => id)
}

export async function releaseStamps(sql: Runner, held: readonly { id: string; attempt: number }[]): Promise<void> {
  await sql`
    update stamps s set lease_until = null, attempt = s.attempt - 1
    from unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ attempt }) => attempt)}::integer[]) h (id, attempt)
    where s.id = h.id and s.attempt = h.attempt and s.outcome is null`
}

/** Records the outcome of a text watermark. Returns `false` if no call waits for it, or another worker claimed it. */
export async function settleStamp(
  sql: Runner,
  { id, attempt }: Pick<StampClaim, 'id' | 'attempt'>,
  outcome: StampOutcome,
  uploadId: string | null,
): Promise<boolean> {
  const settled = await sql`
    update stamps set outcome = ${JSON.stringify(outcome)}::text::jsonb, upload_id = ${uploadId}
    where id = ${id} and attempt = ${attempt} and outcome is null and wanted_until > now()`
  return settled.count > 0
}

export type StampEnd = { id: string; outcome: StampOutcome; uploadId: string | null }

export async function listEndedStamps(sql: Runner, ids: readonly string[]): Promise<{ id: string }[]> {
  return await sql<{ id: string }[]>`
    select id from stamps where id = any(${ids}::text[]) and outcome is not null`
}

export async function withdrawStamp(sql: Runner, id: string): Promise<StampEnd | undefined> {
  const [row] = await sql<(Omit<StampEnd, 'outcome'> & { outcome: StampOutcome | null })[]>`
    delete from stamps where id = ${id} returning id, outcome, upload_id as "uploadId"`
  return row === undefined || row.outcome === null ? undefined : { ...row, outcome: row.outcome }
}

/** Deletes text watermarks whose API call has ended. Returns their uploads, which the caller must delete. */
export async function claimAbandonedStamps(sql: Runner): Promise<(UploadOwner & { uploadId: string | null })[]> {
  return await sql<(UploadOwner & { uploadId: string | null })[]>`
    delete from stamps where wanted_until < now() - interval '1 minute'
    returning account_id as "accountId", livemode, upload_id as "uploadId"`
}
