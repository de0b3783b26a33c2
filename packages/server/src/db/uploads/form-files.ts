import { MIN_STORED_BYTES } from '@mediamill/contract/domain/uploads'
import type { Runner } from '../connection/connect.ts'
import type { UploadOwner } from './uploads.ts'

/** A stored file that becomes a complete upload when the request of its form is accepted. */
export type FormFile = { id: string; key: string; size: number; sha256: string; format: string | null }

type NewFile = UploadOwner & {
  id: string
  key: string
  size: number
  filename: string | null
  quotaBytes: number
  lifeMs: number
  leaseMs: number
  atOnce: number
  /** The keys of the form's earlier files. These files do not count toward the limit `atOnce`. */
  earlier: readonly string[]
}

/** The result of a reservation. `isFull`: the account is already receiving `atOnce` files. */
type ReservedFile = { isReserved: boolean; isFull: boolean; takenBytes: number }

/**
 * Reserves quota for a file of a form. Call this function before the first byte is stored. If the process dies, the
 * cleanup deletes the file after `leaseMs`.
 */
export async function reserveFile(sql: Runner, file: NewFile): Promise<ReservedFile> {
  const [row] = await tryToReserve(sql, file)
  if (row !== undefined) return row
  // Before its first upload, an account has no row for its quota.
  await sql`
    insert into upload_room (account_id, livemode, bytes) values (${file.accountId}, ${file.livemode}, 0)
    on conflict do nothing`
  const [again] = await tryToReserve(sql, file)
  if (again === undefined) throw new Error('the row of the upload quota was deleted')
  return again
}

async function tryToReserve(sql: Runner, file: NewFile): Promise<ReservedFile[]> {
  const { id, key, accountId, livemode, size, filename, quotaBytes, lifeMs, leaseMs, atOnce, earlier } = file
  const extra = Math.max(MIN_STORED_BYTES - size, 0)
  const lease = sql`now() + ${leaseMs} * interval '1 millisecond'`
  return await sql<ReservedFile[]>`
    with room as materialized (
      select account_id, livemode, bytes from upload_room
      where account_id = ${accountId} and livemode = ${livemode} for update
    ), state as materialized (
      select room.*, receiving_parts(account_id, livemode, ${earlier}::text[]) >= ${atOnce}::integer as full from room
    ), taken as (
      update upload_room r set bytes = r.bytes + ${size + extra}::bigint
      from state
      where r.account_id = state.account_id and r.livemode = state.livemode
        and not state.full and r.bytes + ${size + extra}::bigint <= ${quotaBytes}::bigint
      returning r.account_id, r.livemode
    ), upload as (
      insert into uploads (id, account_id, livemode, signed, filename, size, room_extra, expires_at, sweep_at)
      select ${id}, account_id, livemode, false, ${filename}, ${size}::bigint, ${extra}::bigint,
        now() + ${lifeMs} * interval '1 millisecond', ${lease}
      from taken
    ), part as (
      insert into upload_parts (key, upload_id, account_id, livemode, start, lease_until)
      select ${key}, ${id}, account_id, livemode, 0, ${lease} from taken
    )
    select exists (select from taken) as "isReserved", "full" as "isFull", bytes as "takenBytes" from state`
}

/** Returns whether all files still have their lease. A crash of the database can lose a lease. */
export async function isEveryFileKept(sql: Runner, files: readonly FormFile[]): Promise<boolean> {
  const kept = await sql`
    select from upload_parts p join uploads u on u.id = p.upload_id
    where p.key = any(${files.map(({ key }) => key)}::text[]) and p.size is null and p.lease_until > now() and u.status = 'waiting'`
  return kept.count === files.length
}

/** Abandons files that were not completed. Returns the ids of files that the caller must delete. */
export async function abandonFiles(sql: Runner, ids: readonly string[], leaseMs: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with part as (
      update upload_parts set lease_until = '-infinity' where upload_id = any(${ids}::text[]) and size is null
      returning upload_id
    )
    update uploads u set status = 'deleting', sweep_at = now() + ${leaseMs} * interval '1 millisecond'
    from part where u.id = part.upload_id
    returning u.id`
  return rows.map(({ id }) => id)
}
