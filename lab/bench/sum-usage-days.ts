import type { Runner } from '@mediamill/server/db/connection/connect'

/** Fills the empty table `usage_days` with the daily sums that the service adds when requests finish. */
export async function sumUsageDays(tx: Runner): Promise<void> {
  await tx`
    insert into usage_days
    select account_id, livemode, scope, (created_at at time zone 'utc')::date, endpoint,
      count(*) filter (where status = 'succeeded'), count(*) filter (where status = 'failed'),
      count(*) filter (where status = 'aborted'), sum(price),
      coalesce(sum(source_bytes) filter (where status = 'succeeded'), 0),
      coalesce(sum(source_bytes) filter (where status <> 'succeeded'), 0), sum(result_bytes)
    from requests, unnest(array['*', coalesce('=' || customer, '-')]) as scope
    where completed_at is not null
    group by 1, 2, 3, 4, 5`
}
