import { OperatorError } from '@mediamill/contract/domain/errors'
import type { AccountRow } from '../db/accounts/accounts.ts'
import { updateLimits, updateName, updateSuspended, updateWebhookUrl } from '../db/accounts/accounts.ts'
import type { Runner } from '../db/connection/connect.ts'

/** Refuses every call of an account from now on, on every process; its results stay. */
export async function suspendAccount(sql: Runner, id: number): Promise<AccountRow> {
  return existing(id, await updateSuspended(sql, id, true))
}

/** Lets a suspended account call again. */
export async function resumeAccount(sql: Runner, id: number): Promise<AccountRow> {
  return existing(id, await updateSuspended(sql, id, false))
}

/** Gives an account another name. */
export async function renameAccount(sql: Runner, id: number, name: string): Promise<AccountRow> {
  return existing(id, await updateName(sql, id, name))
}

/** Judges a URL as those of requests are judged. It answers `ok`, or the code and the sentence that refuse it. */
export type CheckUrl = (url: string) => Promise<{ ok: true } | { ok: false; code: string; message: string }>

/**
 * Sets where finished requests are posted that name no `webhook_url`; `null` for nowhere.
 *
 * Throws `OperatorError` for a URL that no request may name either (Spec 4.6).
 */
export async function setWebhookUrl(
  sql: Runner,
  id: number,
  url: string | null,
  checkUrl: CheckUrl,
): Promise<AccountRow> {
  const verdict = url === null ? ({ ok: true } as const) : await checkUrl(url)
  if (!verdict.ok) {
    const way = verdict.code === 'url_unresolvable' ? '' : ' ALLOWED_PRIVATE_HOSTS names hosts that are exempt.'
    throw new OperatorError(`${url}: ${verdict.message} (${verdict.code})${way}`)
  }
  return existing(id, await updateWebhookUrl(sql, id, url))
}

/** An account's own live limits. `undefined` leaves one as it is, `null` gives back its tier's. */
export type OwnLimits = {
  requestsPerMinute?: number | null | undefined
  concurrentRequests?: number | null | undefined
  maxSourceBytes?: number | null | undefined
}

/** Gives an account live limits of its own in place of its tier's. */
export async function setLimits(sql: Runner, id: number, limits: OwnLimits): Promise<AccountRow> {
  return existing(id, await updateLimits(sql, id, limits))
}

function existing(id: number, row: AccountRow | undefined): AccountRow {
  if (row === undefined) throw new OperatorError(`There is no account ${id}.`)
  return row
}
