import { MIN_STORED_BYTES, SHORT_CHUNKS } from '@mediamill/contract/domain/uploads'
import type { Runner } from '../connection/connect.ts'
import { waitForDisk } from '../connection/transaction.ts'
import type { UploadOwner, UploadRow } from './uploads.ts'
import { uploadColumns, waitIfSigned } from './uploads.ts'

export type NewPart = UploadOwner & {
  key: string
  uploadId: string
  start: number
  leaseMs: number
  atOnce: number
  maxParts: number
}

/** `gone`: the upload was deleted. `full`: too many parallel bodies, or too many parts. */
export type InsertedPart = 'gone' | 'full' | { shortChunks: number; takenBytes: number }

/** Records a file before it is stored. Returns the upload's number of short chunks, and the storage in use. */
export async function insertPart(tx: Runner, part: NewPart): Promise<InsertedPart> {
  const { accountId, livemode, uploadId, key, start, leaseMs, atOnce, maxParts } = part
  const found = await tx`select from uploads where id = ${uploadId} and status = 'waiting' for share`
  if (found.count === 0) return 'gone'
  const [room] = await tx<{ takenBytes: number }[]>`
    select bytes as "takenBytes" from upload_room where account_id = ${accountId} and livemode = ${livemode} for update`
  const inserted = await tx`
    insert into upload_parts (key, upload_id, account_id, livemode, start, lease_until)
    select ${key}, ${uploadId}, ${accountId}, ${livemode}, ${start}::bigint, now() + ${leaseMs} * interval '1 millisecond'
    where (
        select count(*) from upload_parts
        where account_id = ${accountId} and livemode = ${livemode} and size is null and lease_until > now()
      ) < ${atOnce}::integer
      and (select count(*) from upload_parts where upload_id = ${uploadId}) < ${maxParts}::integer`
  if (inserted.count === 0) return 'full'
  const [short] = await tx<{ count: number }[]>`
    select count(*)::integer as count from upload_parts where upload_id = ${uploadId} and size < ${SHORT_CHUNKS.bytes}`
  return { shortChunks: short?.count ?? 0, takenBytes: room?.takenBytes ?? 0 }
}

/** Renews the leases of bodies in progress, and of uploads that a single call sends. */
export async function renewParts(sql: Runner, keys: readonly string[], leaseMs: number): Promise<void> {
  await sql`
    with part as (
      update upload_parts set lease_until = now() + ${leaseMs} * interval '1 millisecond'
      where key = any(${keys as string[]}::text[]) and size is null
      returning upload_id
    )
    update uploads u set sweep_at = now() + ${leaseMs} * interval '1 millisecond'
    from part where u.id = part.upload_id and u.status = 'waiting' and not u.signed`
}

/** Ends the lease of an unused part, so that its file can be deleted. `false` if the part is in its upload. */
export async function endPart(sql: Runner, key: string): Promise<boolean> {
  const ended = await sql`
    update upload_parts set lease_until = '-infinity' where key = ${key} and size is null`
  return ended.count > 0
}

export async function deletePart(sql: Runner, key: string): Promise<void> {
  await sql`delete from upload_parts where key = ${key} and size is null`
}

/**
 * Appends a part to its upload. A part smaller than a disk block takes a whole block of the quota, unless it is the
 * last. Returns `undefined` if another part was appended first, or the upload is closed.
 */
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
    select ${uploadColumns(sql)} from u ${waitIfSigned(sql)}`
  return row
}

/** Completes an upload, whose actual size then counts. `undefined` if it was complete or does not exist. */
export async function completeUpload(
  tx: Runner,
  upload: { id: string; sha256: string; format: string | null },
): Promise<UploadRow | undefined> {
  await waitForDisk(tx)
  const [row] = await tx<UploadRow[]>`
    with held as materialized (
      select id, size, room_extra from uploads where id = ${upload.id} and status = 'waiting' for update
    ), u as (
      update uploads set status = 'complete', size = received,
        room_extra = case when signed then uploads.room_extra else greatest(${MIN_STORED_BYTES}::bigint - received, 0) end,
        sha256 = ${upload.sha256}, format = ${upload.format},
        sweep_at = expires_at
      from held where uploads.id = held.id and (received = held.size or not signed) and received > 0
      returning uploads.*
    ), room as (
      update upload_room r set bytes = r.bytes - (held.size + held.room_extra) + (u.size + u.room_extra)
      from u join held on held.id = u.id where r.account_id = u.account_id and r.livemode = u.livemode
    )
    select ${uploadColumns(tx)} from u`
  return row
}

export async function listParts(sql: Runner, uploadId: string): Promise<{ key: string; size: number }[]> {
  return await sql<{ key: string; size: number }[]>`
    select key, size from upload_parts where upload_id = ${uploadId} and size is not null order by start`
}
