import type {
  RequestError,
  RequestStatus,
  ResultData,
  ResultFile,
  StageTimes,
} from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'

/** A row of `requests` as it is read everywhere; `requests/record.ts` makes a `MediaRequest` of it. */
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
}

/** The columns of a `RequestRow`. They are of a table or a common table expression with the columns of `requests`. */
export const requestColumns = (sql: Runner) => sql`
  r.id, r.account_id as "accountId", r.livemode, r.endpoint, r.status, r.source, r.webhook_url as "webhookUrl", r.input,
  r.customer, r.metadata, r.attempt, r.progress, r.price, r.data, r.files, r.error, r.took, r.created_at as "createdAt",
  r.started_at as "startedAt", r.completed_at as "completedAt", r.deleted_at as "deletedAt",
  r.deleted_at is not null and r.sweep_at is null as "filesDeleted"`

/** A request of this account; another account's is as if it were not there. */
export async function findRequest(sql: Runner, accountId: number, id: number): Promise<RequestRow | undefined> {
  // wall: another account’s request
  const [row] = await sql<RequestRow[]>`
    select ${requestColumns(sql)} from requests r where r.id = ${id} and r.account_id = ${accountId}`
  return row
}

/** A request of any account: for signed links, which need no key. */
export async function findAnyRequest(sql: Runner, id: number): Promise<RequestRow | undefined> {
  const [row] = await sql<RequestRow[]>`select ${requestColumns(sql)} from requests r where r.id = ${id}`
  return row
}

/** Lists an account's requests below the id `before`, newest first. `limit` is not capped here. */
export async function listRequests(
  sql: Runner,
  accountId: number,
  page: { before: number | null; limit: number },
): Promise<RequestRow[]> {
  // Never `before is null or …`: a plan for any value would step through the index from its newest end.
  // wall: another account’s requests in a list
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)} from requests r
    where r.account_id = ${accountId} and r.id < ${page.before ?? Number.MAX_SAFE_INTEGER}::bigint
    order by r.id desc limit ${page.limit}`
}

/** Lists requests of any account or status, newest first. For operators. */
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

/** A request, and what was seen of it by somebody who waits; without that, its end is what is waited for. */
type Awaited = { id: number; seen: Pick<RequestRow, 'status' | 'progress'> | undefined }

/** Those of these requests that have ended, or are not as they were seen. */
export async function listChanged(sql: Runner, asked: readonly Awaited[]): Promise<RequestRow[]> {
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)}
    from unnest(
        ${asked.map(({ id }) => id)}::bigint[], ${asked.map(({ seen }) => seen?.status ?? null)}::text[],
        ${asked.map(({ seen }) => seen?.progress ?? null)}::integer[]
      ) as asked (id, status, progress)
      -- One by its number at a time: a plan that was made for an empty table would read all of a full one.
      cross join lateral (select * from requests where requests.id = asked.id limit 1) r
    where r.completed_at is not null or r.status <> asked.status or r.progress <> asked.progress`
}

/** Requests by their ids, in no order. */
export async function listById(sql: Runner, ids: readonly number[]): Promise<RequestRow[]> {
  return await sql<RequestRow[]>`
    select ${requestColumns(sql)}
    from unnest(${ids as number[]}::bigint[]) as wanted (id)
      cross join lateral (select * from requests where requests.id = wanted.id limit 1) r`
}
