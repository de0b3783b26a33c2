import { MIN_STORED_BYTES, SHORT_CHUNKS } from '@mediamill/contract/domain/uploads'
import type { Runner } from '../connection/connect.ts'
import { WITH_DISK } from '../connection/transaction.ts'
import type { UploadOwner, UploadRow } from './uploads.ts'
import { uploadColumns } from './uploads.ts'

type NewPart = UploadOwner & {
  key: string
  uploadId: string
  start: number
  leaseMs: number
  atOnce: number
  maxParts: number
}

/** The result of `insertPart`. `gone`: the upload is not open. `full`: the upload or the account has too many parts. */
export type InsertedPart = 'gone' | 'full' | { shortChunks: number; takenBytes: number }

/** Records a part before its file is stored. */
export async function insertPart(tx: Runner, part: NewPart): Promise<InsertedPart> {
  const { accountId, livemode, uploadId, key, start, leaseMs, atOnce, maxParts } = part
  // Locks the upload and the quota, so that the next statement counts the parts of all processes.
  const [room] = await tx<{ takenBytes: number }[]>`
    select r.bytes as "takenBytes"
    from uploads u join upload_room r on r.account_id = u.account_id and r.livemode = u.livemode
    where u.id = ${uploadId} and u.status = 'waiting' for share of u for update of r`
  if (room === undefined) return 'gone'
  const [inserted] = await tx<{ shortChunks: number }[]>`
    insert into upload_parts (key, upload_id, account_id, livemode, start, lease_until)
    select ${key}, ${uploadId}, ${accountId}, ${livemode}, ${start}::bigint, now() + ${leaseMs} * interval '1 millisecond'
    where (
        select count(*) from upload_parts
        where account_id = ${accountId} and livemode = ${livemode} and size is null and lease_until > now()
      ) < ${atOnce}::integer
      and (select count(*) from upload_parts where upload_id = ${uploadId}) < ${maxParts}::integer
    returning (
      select count(*)::integer from upload_parts where upload_id = ${uploadId} and size < ${SHORT_CHUNKS.bytes}
    ) as "shortChunks"`
  return inserted === undefined ? 'full' : { ...inserted, ...room }
}

/** Renews the leases of parts. Also delays the cleanup of their uploads, except signed uploads. */
export async function renewParts(sql: Runner, keys: readonly string[], leaseMs: number): Promise<void> {
  await sql`
    with part as (
      update upload_parts set lease_until = now() + ${leaseMs} * interval '1 millisecond'
      where key = any(${keys}::text[]) and size is null
      returning upload_id
    )
    update uploads u set sweep_at = now() + ${leaseMs} * interval '1 millisecond'
    from part where u.id = part.upload_id and u.status = 'waiting' and not u.signed`
}

/** Ends the lease of a part, so that its file can be deleted. Returns `false` if the part was appended. */
export async function endPart(sql: Runner, key: string): Promise<boolean> {
  const ended = await sql`
    update upload_parts set lease_until = '-infinity' where key = ${key} and size is null`
  return ended.count > 0
}

export async function deletePart(sql: Runner, key: string): Promise<void> {
  await sql`delete from upload_parts where key = ${key} and size is null`
}

/** Appends a part. In a signed upload, each part except the last uses at least `MIN_STORED_BYTES` of the quota. */
export async function appendPart(
  sql: Runner,
  part: { key: string; uploadId: string; start: number; size: number },
): Promise<UploadRow | undefined> {
  const { key, uploadId, start, size } = part
  const extra = Math.max(MIN_STORED_BYTES - size, 0)
  const [row] = await sql<UploadRow[]>`
    with mine as materialized (
      select key from upload_parts where key = ${key} and size is null and lease_until > now() for update
    ), u as (
      update uploads set received = received + ${size}::bigint,
        room_extra = room_extra + case when signed and received + ${size}::bigint < uploads.size then ${extra}::bigint else 0 end
      from mine
      where id = ${uploadId} and received = ${start}::bigint and status = 'waiting' and expires_at > now()
        and received + ${size}::bigint <= uploads.size
      returning uploads.*
    ), part as (
      update upload_parts p set size = ${size}::bigint from u, mine where p.key = mine.key
    ), room as (
      update upload_room r set bytes = r.bytes + ${extra}::bigint
      from u where u.signed and u.received < u.size and ${extra}::bigint > 0
        and r.account_id = u.account_id and r.livemode = u.livemode
    )
    select ${uploadColumns(sql)} from u join (select ${WITH_DISK(sql)}) waited on true`
  return row
}

/** Completes an upload. Returns `undefined` if it is unknown, complete, or lacks bytes. Corrects the quota. */
export async function completeUpload(
  sql: Runner,
  { id, sha256, format }: { id: string; sha256: string; format: string | null },
): Promise<UploadRow | undefined> {
  const [row] = await sql<UploadRow[]>`
    with held as materialized (
      select id, size, room_extra from uploads where id = ${id} and status = 'waiting' for update
    ), u as (
      update uploads set status = 'complete', size = received,
        room_extra = case when signed then uploads.room_extra else greatest(${MIN_STORED_BYTES}::bigint - received, 0) end,
        sha256 = ${sha256}, format = ${format},
        sweep_at = expires_at
      from held where uploads.id = held.id and (received = held.size or not signed) and received > 0
      returning uploads.*
    ), room as (
      update upload_room r set bytes = r.bytes - (held.size + held.room_extra) + (u.size + u.room_extra)
      from u join held on held.id = u.id where r.account_id = u.account_id and r.livemode = u.livemode
    )
    select ${uploadColumns(sql)} from u join (select ${WITH_DISK(sql)}) waited on true`
  return row
}

export async function listParts(sql: Runner, uploadId: string): Promise<{ key: string; size: number }[]> {
  return await sql<{ key: string; size: number }[]>`
    select key, size from upload_parts where upload_id = ${uploadId} and size is not null order by start`
}
