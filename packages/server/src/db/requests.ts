import type {
  RequestError,
  RequestStatus,
  ResultData,
  ResultFile,
  StageTimes,
} from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'

export type RequestRow = {
  id: number
  accountId: number
  livemode: boolean
  endpoint: string
  status: RequestStatus
  source: string
  webhookUrl: string | null
  input: Record<string, unknown>
  customer: string | null
  metadata: Record<string, string> | null
  attempt: number
  progress: number
  price: number
  data: ResultData | null
  files: ResultFile[] | null
  error: RequestError | null
  took: StageTimes | null
  createdAt: Date
  startedAt: Date | null
  completedAt: Date | null
  deletedAt: Date | null
  filesDeleted: boolean
  /** The restricted API key that created the request. `null` if the key was unrestricted. */
  keyId: number | null
}

export const requestColumns = (sql: Runner) => sql`
  r.id, r.account_id as "accountId", r.livemode, r.endpoint, r.status, r.source, r.webhook_url as "webhookUrl", r.input,
  r.customer, r.metadata, r.attempt, r.progress, r.price, r.data, r.files, r.error, r.took, r.created_at as "createdAt",
  r.started_at as "startedAt", r.completed_at as "completedAt", r.deleted_at as "deletedAt",
  r.deleted_at is not null and r.sweep_at is null as "filesDeleted", r.key_id as "keyId"`

export async function findRequest(sql: Runner, accountId: number, id: number): Promise<RequestRow | undefined> {
  const [row] = await sql<RequestRow[]>`
    select ${requestColumns(sql)} from requests r where r.id = ${id} and r.account_id = ${accountId}`
  return row
}

export async function findAnyRequest(sql: Runner, id: number): Promise<RequestRow | undefined> {
  const [row] = await sql<RequestRow[]>`select ${requestColumns(sql)} from requests r where r.id = ${id}`
  return row
}

export async function listRequests(
  sql: Runner,
  accountId: number,
  page: { before: number | null; limit: number },
): Promise<RequestRow[]> {
  // Always compares the id. With `before is null or …`, a generic plan would read the index from the newest entry.
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)} from requests r
    where r.account_id = ${accountId} and r.id < ${page.before ?? Number.MAX_SAFE_INTEGER}::bigint
    order by r.id desc limit ${page.limit}`
}

export async function listAnyRequests(
  sql: Runner,
  which: { accountId: number | null; status: RequestStatus | null; limit: number },
): Promise<RequestRow[]> {
  const { accountId, status, limit } = which
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)} from requests r
    where ${accountId === null ? sql`true` : sql`r.account_id = ${accountId}`}
      and ${status === null ? sql`true` : sql`r.status = ${status}`}
    order by r.id desc limit ${limit}`
}

/** A request that a call waits for. `seen`: the state that the client has. Without `seen`, waits for completion. */
type AwaitedRequest = { id: number; previous: Pick<RequestRow, 'status' | 'progress'> | undefined }

export async function listChanged(sql: Runner, waits: readonly AwaitedRequest[]): Promise<RequestRow[]> {
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)}
    from unnest(
        ${waits.map(({ id }) => id)}::bigint[], ${waits.map(({ previous }) => previous?.status ?? null)}::text[],
        ${waits.map(({ previous }) => previous?.progress ?? null)}::integer[]
      ) as asked (id, status, progress)
      -- A lookup by id for each row: a plan made for an empty table would scan the whole table.
      cross join lateral (select * from requests where requests.id = asked.id limit 1) r
    where r.completed_at is not null or r.status <> asked.status or r.progress <> asked.progress`
}

export async function listById(sql: Runner, ids: readonly number[]): Promise<RequestRow[]> {
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)}
    from unnest(${ids}::bigint[]) as wanted (id)
      cross join lateral (select * from requests where requests.id = wanted.id limit 1) r`
}
