import type { Tier } from '@mediamill/contract/domain/limits'
import { MIN_STORED_BYTES } from '@mediamill/contract/domain/uploads'
import type { Runner } from '../connection/connect.ts'
import { WITH_DISK } from '../connection/transaction.ts'

type UploadStatus = 'waiting' | 'complete' | 'deleting'

export type UploadRow = {
  id: string
  accountId: number
  livemode: boolean
  status: UploadStatus
  signed: boolean
  filename: string | null
  origin: string | null
  size: number
  received: number
  sha256: string | null
  format: string | null
  createdAt: Date
  expiresAt: Date
}

export type UploadOwner = { accountId: number; livemode: boolean }

export const uploadColumns = (sql: Runner) => sql`
  u.id, u.account_id as "accountId", u.livemode, u.status, u.signed, u.filename, u.origin, u.size, u.received, u.sha256,
  u.format, u.created_at as "createdAt", u.expires_at as "expiresAt"`

type NewUpload = UploadOwner & {
  id: string
  filename: string | null
  origin: string | null
  size: number
  quotaBytes: number
  lifeMs: number
}

/** Creates an upload with a signed URL and reserves its size. Returns `undefined` if the quota is too small. */
export async function insertUpload(sql: Runner, upload: NewUpload): Promise<UploadRow | undefined> {
  const { id, accountId, livemode, filename, origin, size, quotaBytes, lifeMs } = upload
  const extra = Math.max(MIN_STORED_BYTES - size, 0)
  const taken = size + extra
  const end = sql`now() + ${lifeMs} * interval '1 millisecond'`
  const [row] = await sql<UploadRow[]>`
    with room as (
      insert into upload_room as r (account_id, livemode, bytes)
      select ${accountId}::bigint, ${livemode}::boolean, ${taken}::bigint where ${taken}::bigint <= ${quotaBytes}::bigint
      on conflict (account_id, livemode) do update set bytes = r.bytes + ${taken}::bigint
      where r.bytes + ${taken}::bigint <= ${quotaBytes}::bigint
      returning account_id, livemode
    ), u as (
      insert into uploads (id, account_id, livemode, signed, filename, origin, size, room_extra, expires_at, sweep_at)
      select ${id}, account_id, livemode, true, ${filename}, ${origin}, ${size}::bigint, ${extra}::bigint, ${end}, ${end}
      from room
      returning *
    )
    select ${uploadColumns(sql)} from u join (select ${WITH_DISK(sql)}) waited on true`
  return row
}

export async function readUsedQuota(sql: Runner, { accountId, livemode }: UploadOwner): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select bytes from upload_room where account_id = ${accountId} and livemode = ${livemode}`
  return row?.bytes ?? 0
}

export async function findUploads(
  sql: Runner,
  { accountId, livemode }: UploadOwner,
  ids: readonly string[],
): Promise<UploadRow[]> {
  return await sql<UploadRow[]>`
    select ${uploadColumns(sql)} from uploads u
    where u.id = any(${ids}::text[]) and u.account_id = ${accountId} and u.livemode = ${livemode}
      and u.status <> 'deleting' and u.expires_at > now()`
}

export async function findDigests(
  sql: Runner,
  owner: UploadOwner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await findUploads(sql, owner, ids)
  return new Map(found.flatMap(({ id, sha256 }) => (sha256 === null ? [] : [[id, sha256]])))
}

type SignedUploadRow = UploadRow & { suspended: boolean; tier: Tier; maxSourceBytes: number | null }

export async function findSignedUpload(sql: Runner, id: string): Promise<SignedUploadRow | undefined> {
  const [row] = await sql<SignedUploadRow[]>`
    select ${uploadColumns(sql)}, a.suspended, a.tier, a.max_source_bytes as "maxSourceBytes" from uploads u join accounts a on a.id = u.account_id
    where u.id = ${id} and u.signed and u.status <> 'deleting' and u.expires_at > now()`
  return row
}

/**
 * Locks usable uploads against deletion until the transaction ends, and returns their ids. Detaches form files from
 * their request, so that the files outlive the request.
 */
export async function holdUploads(
  tx: Runner,
  { accountId, livemode }: UploadOwner,
  ids: readonly string[],
): Promise<string[]> {
  const isUsable = tx`id = any(${ids}::text[]) and account_id = ${accountId} and livemode = ${livemode}
    and status = 'complete' and expires_at > now()`
  // Two transactions that first share a lock and then update the row would wait for each other.
  const rows = await tx<{ id: string; isOfForm: boolean }[]>`
    with of_form as materialized (
      select id from uploads where ${isUsable} and request_id is not null order by id for no key update
    ), other as (
      select id from uploads where ${isUsable} and id not in (select id from of_form) order by id for share
    )
    select id, true as "isOfForm" from of_form union all select id, false from other`
  const ofForms = rows.flatMap(({ id, isOfForm }) => (isOfForm ? [id] : []))
  if (ofForms.length > 0) await tx`update uploads set request_id = null where id = any(${ofForms}::text[])`
  return rows.map((row) => row.id)
}

export async function listStoredParts(
  sql: Runner,
  { accountId, livemode }: UploadOwner,
  id: string,
): Promise<{ key: string; size: number }[]> {
  return await sql<{ key: string; size: number }[]>`
    select p.key, p.size from upload_parts p join uploads u on u.id = p.upload_id
    where u.id = ${id} and u.account_id = ${accountId} and u.livemode = ${livemode}
      and u.status = 'complete' and p.size is not null
    order by p.start`
}
