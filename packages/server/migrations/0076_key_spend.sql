-- Outside a transaction: the tables are in use.
alter table api_keys add column if not exists spent_on date, add column if not exists spent bigint not null default 0;
comment on column api_keys.spent is 'The prices and holds of the key''s requests created on the UTC day spent_on. Changed only while the row of the account is locked.';
update api_keys k set spent_on = (now() at time zone 'utc')::date, spent = today.spent
from (
  select key_id, sum(case when completed_at is null then hold else price end)::bigint as spent from requests
  where key_id is not null and created_at >= date_trunc('day', now() at time zone 'utc') at time zone 'utc' group by 1
) today
where k.id = today.key_id and k.spent_on is null;
drop index concurrently if exists requests_by_key;
