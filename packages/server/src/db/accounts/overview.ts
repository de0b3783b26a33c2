import type { Runner } from '../connection/connect.ts'

/** How many failures are counted at most, to bound the time of the query for large accounts. */
const LATEST_FAILURES = 1_000

export async function countFailures(
  sql: Runner,
  accountId: number,
  livemode: boolean | null,
): Promise<{ code: string; requests: number }[]> {
  return await sql<{ code: string; requests: number }[]>`
    select code, count(*)::integer as requests from (
      select error ->> 'code' as code, created_at, livemode from requests r
      where r.account_id = ${accountId} and r.status = 'failed' and r.completed_at is not null
      order by r.id desc limit ${LATEST_FAILURES}
    ) latest
    where created_at > now() - interval '30 days' and ${livemode === null ? sql`true` : sql`livemode = ${livemode}`}
    group by code order by requests desc, code`
}

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
