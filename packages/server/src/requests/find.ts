import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { parseId } from '@mediamill/contract/domain/ids'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { RequestScope } from '../accounts/restrictions.ts'
import { isInScope } from '../accounts/restrictions.ts'
import { batch } from '../db/connection/batch.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { FilterRow } from '../db/filters/filter.ts'
import { listFiltered } from '../db/filters/filter-requests.ts'
import { findAnyRequest, findRequest, listById, listRequests } from '../db/requests.ts'
import { pairsOf } from './metadata-pairs.ts'
import { toRequest } from './record.ts'

/** Returns a request. Throws `request_not_found` if it is unknown or belongs to another account (auth.scope.2). */
export async function find(sql: Sql, accountId: AccountId, id: RequestId): Promise<MediaRequest> {
  const request = await findOwn(sql, accountId, id)
  if (request === undefined) throw requestNotFound()
  return request
}

/** Returns the request with the id `text`, if the caller can read it (auth.scope.2). */
export async function findInScope(
  sql: Sql,
  caller: RequestScope & { account: { id: AccountId } },
  text = '',
): Promise<MediaRequest | undefined> {
  const id = parseId<RequestId>(text)
  const row = id === undefined ? undefined : await listTogether(sql, id)
  return row?.accountId === caller.account.id && isInScope(row, caller) ? toRequest(row) : undefined
}

export async function findOwn(sql: Sql, accountId: AccountId, id: RequestId): Promise<MediaRequest | undefined> {
  const row = await findRequest(sql, accountId, id)
  return row && toRequest(row)
}

/**
 * Returns the error for an unknown request. `id`: the text in the path, if it is no valid id. For the id of a call
 * (`req_…`), the message has a hint.
 */
export function requestNotFound(id = ''): ApiError {
  const message = 'There is no request with this id in this account.'
  const hint = id.startsWith('req_') ? ' The id of a request is a number, such as 17; req_… is the id of one call.' : ''
  return new ApiError('request_not_found', message + hint)
}

const listTogether = batch(async (sql, ids: readonly RequestId[]) => {
  const found = new Map((await listById(sql, ids)).map((row) => [row.id, row]))
  return ids.map((id) => found.get(id))
})

/** Reads a request again. Concurrent calls share one SQL statement. */
export async function findAgain(sql: Sql, id: RequestId): Promise<MediaRequest | undefined> {
  const row = await listTogether(sql, id)
  return row && toRequest(row)
}

/** Lists the account's requests, newest first (requests.list.1). */
export async function listRequestPage(
  sql: Sql,
  accountId: AccountId,
  page: { before: number | null; limit: number },
  filter: RequestFilter = {},
): Promise<{ requests: MediaRequest[]; hasMore: boolean }> {
  const wanted = { before: page.before, limit: page.limit + 1 }
  const { metadata = {}, ...plain } = filter
  const pairs = Object.entries(metadata)
  const rows =
    Object.keys(filter).length === 0
      ? await listRequests(sql, accountId, wanted)
      : await listFiltered(sql, accountId, wanted, { ...plain, pairs: pairsOf(metadata) })
  const requests = rows
    .slice(0, page.limit)
    // Different metadata can have equal digests, so compare the texts.
    .filter((row) => pairs.every(([key, value]) => row.metadata?.[key] === value))
  return { requests: requests.map(toRequest), hasMore: rows.length > page.limit }
}

/** The conditions of a request list. A missing property matches every request. */
export type RequestFilter = Omit<FilterRow, 'pairs'> & { metadata?: Record<string, string> | undefined }

type LinkedResult = { request: MediaRequest; filesDeleted: boolean }

export async function findLinked(sql: Sql, id: RequestId): Promise<LinkedResult | undefined> {
  const row = await findAnyRequest(sql, id)
  return row === undefined ? undefined : { request: toRequest(row), filesDeleted: row.filesDeleted }
}
