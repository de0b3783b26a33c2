import type { Runner } from '../connection/connect.ts'
import type { UnusedCalls } from './call-leases.ts'

export const MINUTE_MS = 60_000

/** Takes calls that were counted ahead and did not come out of their minute. Those that have left it are forgotten. */
export async function returnUnused(sql: Runner, { count, window }: UnusedCalls): Promise<void> {
  await sql`
    update call_windows set upto = array(
      select case when come >= ${window.until}::bigint then by_then - ${count}::bigint else by_then end
      from unnest(at, upto) with ordinality as counted (come, by_then, nth) order by nth
    )
    where account_id = ${window.callerId} and livemode = ${window.livemode} and ${window.until}::bigint = any(at)`
}

/** Forgets a minute that lies ahead. It was counted before the machine's clock was set back. */
export async function deleteWindowAhead(
  sql: Runner,
  { callerId, keyLivemode }: { callerId: number; keyLivemode: boolean },
): Promise<boolean> {
  const deleted = await sql`
    delete from call_windows where account_id = ${callerId} and livemode = ${keyLivemode}
      and at[cardinality(at)] > (extract(epoch from clock_timestamp()) * 1000)::bigint + ${MINUTE_MS}::bigint`
  return deleted.count > 0
}
