import type { Runner } from '../connection/connect.ts'
import { WITH_DISK } from '../connection/transaction.ts'
import { lockedQuotas, releasedQuotas } from './lock-quotas.ts'
import type { UploadOwner } from './uploads.ts'

const isInUse = (sql: Runner) => sql`
  exists (
    select from requests r
    where r.account_id = u.account_id and r.status in ('queued', 'processing')
      and (r.source = 'upload:' || u.id or position('upload:' || u.id in r.input::text) > 0)
  )`

type Marked = 'deleting' | 'in_use' | 'missing'

/**
 * Marks an upload for deletion, unless an open request uses it. Locks the upload first, so that the second statement
 * finds a request that just started to use it. The commit waits for the disk, because a crash must not restore an
 * upload without files.
 */
export async function markUpload(tx: Runner, owner: UploadOwner, id: string, leaseMs: number): Promise<Marked> {
  const { accountId, livemode } = owner
  const found = await tx`
    select ${WITH_DISK(tx)} from uploads
    where id = ${id} and account_id = ${accountId} and livemode = ${livemode} and status <> 'deleting'
    for update`
  if (found.count === 0) return 'missing'
  const marked = await tx`
    update uploads u set status = 'deleting', sweep_at = now() + ${leaseMs} * interval '1 millisecond'
    where u.id = ${id} and not ${isInUse(tx)}`
  return marked.count > 0 ? 'deleting' : 'in_use'
}

/** Marks expired uploads for deletion. If an open request uses an upload, checks it again after `againMs`. */
export async function takeExpiredUploads(
  tx: Runner,
  { limit, leaseMs, againMs }: { limit: number; leaseMs: number; againMs: number },
): Promise<{ ids: string[]; checked: number }> {
  const due = await tx<{ id: string }[]>`
    select id from uploads where sweep_at <= now() order by sweep_at limit ${limit} for update skip locked`
  if (due.length === 0) return { ids: [], checked: 0 }
  const ids = due.map((row) => row.id)
  const taken = await tx<{ id: string }[]>`
    update uploads u set status = 'deleting', sweep_at = now() + ${leaseMs} * interval '1 millisecond'
    where u.id = any(${ids}::text[]) and (u.status <> 'complete' or not ${isInUse(tx)})
    returning u.id`
  const deleting = taken.map((row) => row.id)
  await tx`
    update uploads set sweep_at = now() + ${againMs} * interval '1 millisecond'
    where id = any(${ids}::text[]) and id <> all(${deleting}::text[])`
  return { ids: deleting, checked: due.length }
}

/** Selects parts that a process is receiving. No other process may delete the file of such a part. */
const isReceiving = (sql: Runner) => sql`size is null and lease_until > now()`

export async function listMarkedParts(
  sql: Runner,
  ids: readonly string[],
): Promise<{ uploadId: string; key: string }[]> {
  return await sql<{ uploadId: string; key: string }[]>`
    select upload_id as "uploadId", key from upload_parts
    where upload_id in (select id from uploads where id = any(${ids}::text[]) and status = 'deleting')
      and not (${isReceiving(sql)})`
}

/** Deletes uploads that are marked for deletion, and releases their quota. Keeps an upload while a part is arriving. */
export async function deleteUploads(sql: Runner, ids: readonly string[]): Promise<number> {
  const [row] = await sql<{ deleted: number }[]>`
    with gone as (
      delete from uploads u where id = any(${ids}::text[]) and status = 'deleting'
        and not exists (select from upload_parts where upload_id = u.id and ${isReceiving(sql)})
      returning id, account_id, livemode, size + room_extra as bytes
    ), parts as (
      delete from upload_parts p using gone where p.upload_id = gone.id
    ), freed as materialized (
      select account_id, livemode, sum(bytes)::bigint as bytes from gone group by 1, 2 having sum(bytes) > 0
    ), ${releasedQuotas(sql)}
    select count(*)::integer as deleted from gone`
  return row?.deleted ?? 0
}

export async function findDeletedUploads(sql: Runner, keys: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct u.id from upload_parts p join uploads u on u.id = p.upload_id
    where p.key = any(${keys}::text[]) and u.status = 'deleting'`
  return rows.map(({ id }) => id)
}

export async function correctQuotas(sql: Runner): Promise<void> {
  await sql`
    with held as materialized (
      select o.account_id, o.livemode, o.bytes, coalesce(sum(u.size + u.room_extra), 0)::bigint as taken
      from upload_room o left join uploads u on u.account_id = o.account_id and u.livemode = o.livemode
      group by o.account_id, o.livemode, o.bytes
      having o.bytes <> coalesce(sum(u.size + u.room_extra), 0)
    ), ${lockedQuotas(sql, sql`held`)}
    update upload_room r set bytes = held.taken
    from held join locked_quota using (account_id, livemode)
    where r.account_id = held.account_id and r.livemode = held.livemode and r.bytes = held.bytes`
}

export async function claimAbandonedChunks(sql: Runner, limit: number): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    delete from upload_parts where key in (
      select p.key from upload_parts p join uploads u on u.id = p.upload_id
      where p.size is null and p.lease_until < now() - interval '1 minute' and u.signed and u.status <> 'deleting'
      limit ${limit} for update of p skip locked
    ) returning key`
  return rows.map((row) => row.key)
}
