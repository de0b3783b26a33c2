import { OperatorError } from '@mediamill/contract/domain/errors'
import type { AccountRow } from '../db/accounts/accounts.ts'
import { updateLimits, updateName, updateSuspended, updateWebhookUrl, updateWeight } from '../db/accounts/accounts.ts'
import type { Runner } from '../db/connection/connect.ts'

/** Rejects all further calls of an account on every process. Its results stay available. */
export async function suspendAccount(sql: Runner, id: number): Promise<AccountRow> {
  return existing(id, await updateSuspended(sql, id, true))
}

export async function resumeAccount(sql: Runner, id: number): Promise<AccountRow> {
  return existing(id, await updateSuspended(sql, id, false))
}

/** Sets the share of an account in the fair order, compared with waiting accounts of weight 1. */
export async function setWeight(sql: Runner, id: number, weight: number): Promise<AccountRow> {
  return existing(id, await updateWeight(sql, id, weight))
}

export async function renameAccount(sql: Runner, id: number, name: string): Promise<AccountRow> {
  return existing(id, await updateName(sql, id, name))
}

/** Checks a URL like the URLs of requests. Returns `ok`, or the error code and message. */
export type CheckUrl = (url: string) => Promise<{ ok: true } | { ok: false; code: string; message: string }>

/**
 * Sets the default webhook URL of an account, or removes it with `null`.
 *
 * Throws `OperatorError` for a URL that a request may not use either (sources.urls.1).
 */
export async function setWebhookUrl(
  sql: Runner,
  id: number,
  url: string | null,
  checkUrl: CheckUrl,
): Promise<AccountRow> {
  const verdict = url === null ? ({ ok: true } as const) : await checkUrl(url)
  if (!verdict.ok) {
    const way = verdict.code === 'url_unresolvable' ? '' : ' To allow a private host, add it to ALLOWED_PRIVATE_HOSTS.'
    throw new OperatorError(`${url}: ${verdict.message} (${verdict.code})${way}`)
  }
  return existing(id, await updateWebhookUrl(sql, id, url))
}

/** An account's own live limits. `undefined` keeps a limit, and `null` resets it to the limit of the tier. */
export type OwnLimits = {
  requestsPerMinute?: number | null | undefined
  concurrentRequests?: number | null | undefined
  maxSourceBytes?: number | null | undefined
}

export async function setLimits(sql: Runner, id: number, limits: OwnLimits): Promise<AccountRow> {
  return existing(id, await updateLimits(sql, id, limits))
}

function existing(id: number, row: AccountRow | undefined): AccountRow {
  if (row === undefined) throw new OperatorError(`There is no account ${id}.`)
  return row
}
