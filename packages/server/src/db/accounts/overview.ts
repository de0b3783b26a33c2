import type { Runner } from '../connection/connect.ts'

/** So many failures are looked at, the newest: of more the pages say no more than of these. */
const LATEST_FAILURES = 1_000

/** An account's failures of the last 30 days by their code, the most frequent first. `livemode` is null for both modes. */
export async function countFailures(
  sql: Runner,
  accountId: number,
  livemode: boolean | null,
): Promise<{ code: string; requests: number }[]> {
  // wall: another account’s failures
  return await sql<{ code: string; requests: number }[]>`
    select code, count(*)::integer as requests from (
      select error ->> 'code' as code, created_at, livemode from requests r
      where r.account_id = ${accountId} and r.status = 'failed' and r.completed_at is not null
      order by r.id desc limit ${LATEST_FAILURES}
    ) latest
    where created_at > now() - interval '30 days' and ${livemode === null ? sql`true` : sql`livemode = ${livemode}`}
    group by code order by requests desc, code`
}

/** What somebody does first: whether a key was used, a request made. */
export async function firstSteps(
  sql: Runner,
  accountId: number,
  livemode: boolean | null,
): Promise<{ keyUsed: boolean; firstRequest: boolean }> {
  const ofMode = livemode === null ? sql`true` : sql`livemode = ${livemode}`
  const [row] = await sql<{ keyUsed: boolean; firstRequest: boolean }[]>`
    select exists (select from api_keys where account_id = ${accountId} and last_used_on is not null and ${ofMode}) as "keyUsed",
      exists (select from requests where account_id = ${accountId} and ${ofMode}) as "firstRequest"`
  return row ?? { keyUsed: false, firstRequest: false }
}
