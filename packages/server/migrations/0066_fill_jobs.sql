-- Outside a transaction: in batches, so that calls wait for no more than one of them. From here on, every open request has a job.
with batch as (
  select r.id, r.lane, r.account_id, r.attempt, r.worker_id, r.created_at, ordered.nth
  from requests r join (
    select id, row_number() over (partition by lane, account_id order by turn, id) as nth
    from requests where status in ('queued', 'processing')
  ) ordered on ordered.id = r.id
  where r.status in ('queued', 'processing')
    and not exists (select from jobs j where j.kind = 'request' and j.record_id = r.id)
  limit 500
  for no key update of r
)
insert into jobs (kind, record_id, lane, account_id, tag, attempt, worker_id, created_at)
select 'request', id, lane, account_id, nth * 1000000, attempt, worker_id, created_at from batch
on conflict do nothing;

update accounts a set tags = last.tags || a.tags
from (
  select account_id, jsonb_object_agg(lane, tag) as tags
  from (select account_id, lane, max(tag) as tag from jobs where kind = 'request' and worker_id is null group by 1, 2) lanes
  group by account_id
) last
where a.id in (select id from accounts where id in (select account_id from jobs) order by id for no key update)
  and a.id = last.account_id;
