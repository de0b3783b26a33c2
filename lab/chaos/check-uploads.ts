import type { Sql } from '@mediamill/server/db/connection/connect'
import type { Store } from '@mediamill/server/store/store'
import { deleteDueUploads, sweepChunks } from '@mediamill/server/uploads/remove'
import type { Observation } from './client.ts'
import type { Destinations } from './destinations.ts'
import type { GuaranteeResult } from './guarantees.ts'
import type { RequestRecord } from './records.ts'
import type { RequestPlan } from './request-plans.ts'

/** Deletes expired and unfinished uploads, even if their leases have not ended. Stop the service first. */
export async function sweepDeadUploads(sql: Sql, store: Store): Promise<number> {
  await sql`
    update uploads set sweep_at = now()
    where status = 'deleting' or expires_at <= now() or (status = 'waiting' and not signed)`
  await sql`update upload_parts set lease_until = now() - interval '1 hour' where size is null`
  await sweepChunks(sql, store)
  return await deleteDueUploads(sql, store)
}

export async function checkUploads(sql: Sql, store: Store, stored: ReadonlySet<string>): Promise<GuaranteeResult[]> {
  const parts = await sql<{ key: string; size: number | null; status: string; isOver: boolean }[]>`
    select p.key, p.size, u.status, u.expires_at <= now() as "isOver"
    from upload_parts p left join uploads u on u.id = p.upload_id`
  const lost: string[] = []
  for (const { key, size } of parts) {
    const found = stored.has(key) ? await store.size(key) : undefined
    if (found !== size) lost.push(`${key}: ${found ?? 'no'} bytes of ${size}`)
  }
  const wrong = await sql<{ account: number; room: number; taken: number }[]>`
    select r.account_id as account, r.bytes as room, coalesce(sum(u.size + u.room_extra), 0)::bigint as taken
    from upload_room r left join uploads u on u.account_id = r.account_id and u.livemode = r.livemode
    group by r.account_id, r.livemode, r.bytes having r.bytes <> coalesce(sum(u.size + u.room_extra), 0)`
  const stale = await sql<{ id: string }[]>`
    select id from uploads where status = 'deleting' or expires_at <= now() or (status = 'waiting' and not signed)`
  return [
    { guarantee: 'the store has every confirmed upload at its full size', violations: lost },
    {
      guarantee: 'after cleanup, nothing remains of interrupted, deleted, or expired uploads',
      violations: [...stale.map(({ id }) => id), ...parts.filter(({ isOver }) => isOver).map(({ key }) => key)],
    },
    {
      guarantee: 'the recorded upload storage of an account equals the size of its uploads',
      violations: wrong.map(
        ({ account, room, taken }) => `account ${account}: recorded ${room} bytes, uploads have ${taken} bytes`,
      ),
    },
  ]
}

const isLost = ({ status, error }: RequestRecord) =>
  status === 'aborted' || error?.message.startsWith('Processing stopped unexpectedly') === true

export function checkDestinations(
  plans: readonly RequestPlan[],
  records: readonly RequestRecord[],
  destinations: Destinations,
): GuaranteeResult {
  const violations = records.flatMap((record) => {
    if (plans[record.plan]?.destination === undefined) return []
    const taken = destinations.taken(record.plan)
    const name = `request ${record.id} (${record.status})`
    const result = record.files?.[0]?.sha256
    if (record.status === 'succeeded') {
      return taken.at(-1) === result && result !== undefined
        ? []
        : [`${name}: the file at the destination differs from the result`]
    }
    return isLost(record) || taken.length === 0 ? [] : [`${name} sent ${taken.length} files to its destination`]
  })
  return { guarantee: 'a destination has the complete file if and only if its request succeeded', violations }
}

export function checkWaits(observations: readonly Observation[]): GuaranteeResult {
  return {
    guarantee: 'a long poll returns the final state, or can be repeated until it does',
    violations: observations.flatMap(({ plan, waits, finals }) => {
      if (!plan.waits || waits.length === 0) return []
      if (waits.includes('final') !== finals.size > 0) return [`plan ${plan.number}: ${waits.join()}`]
      return plan.isFollowed && finals.size !== 1 ? [`plan ${plan.number} did not get exactly one final state`] : []
    }),
  }
}
