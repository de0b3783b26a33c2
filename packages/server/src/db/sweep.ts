import type { ResultFile } from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'
import type { RequestRow } from './requests.ts'
import { requestColumns } from './requests.ts'

export type ExpiredRow = { id: number; files: ResultFile[] }

/** Returns requests with expired result files. The caller must delete the files within `leaseMs`. */
export async function takeExpiredResults(sql: Runner, limit: number, leaseMs: number): Promise<ExpiredRow[]> {
  return await sql<ExpiredRow[]>`
    with due as (
      select id from requests where sweep_at <= now() order by sweep_at limit ${limit} for update skip locked
    )
    update requests r set sweep_at = now() + ${leaseMs} * interval '1 millisecond'
    from due where r.id = due.id
    returning r.id, r.files`
}

/** Marks result files as deleted. The caller must delete them within `leaseMs`. After that, a worker deletes them. */
export async function takeFiles(
  sql: Runner,
  accountId: number,
  id: number,
  leaseMs: number,
): Promise<RequestRow | undefined> {
  const [row] = await sql<RequestRow[]>`
    update requests r set deleted_at = now(), sweep_at = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${id} and account_id = ${accountId} and sweep_at is not null and deleted_at > now()
    returning ${requestColumns(sql)}`
  return row
}

export async function markFilesDeleted(sql: Runner, ids: number[]): Promise<void> {
  await sql`update requests set sweep_at = null where id = any(${ids}::bigint[])`
}

export async function listOrphans(sql: Runner, files: { key: string; requestId: number }[]): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select stored.key
    from unnest(${files.map(({ key }) => key)}::text[], ${files.map(({ requestId }) => requestId)}::bigint[])
      as stored (key, request_id)
    where not exists (
      select from requests r, json_array_elements(r.files) file
      where r.id = stored.request_id and r.sweep_at is not null and stored.key in (file ->> 'key', file ->> 'thumbnail')
    ) and not exists (select from upload_parts p where p.key = stored.key)
    and not exists (select from video_parts p where p.key = stored.key)`
  return rows.map((row) => row.key)
}

/** Claims a periodic task, which is due every `everyMs`. If several processes race, exactly one gets `true`. */
export async function takeRound(sql: Runner, name: string, everyMs: number): Promise<boolean> {
  const taken = await sql`
    with asked as (
      insert into rounds (name, due_at) values (${name}, now() + ${everyMs} * interval '1 millisecond')
      on conflict (name) do nothing
    )
    update rounds set due_at = now() + ${everyMs} * interval '1 millisecond' where name = ${name} and due_at <= now()
    returning name`
  return taken.count === 1
}
