-- Outside a transaction: each statement by itself, so that calls go on while an index of millions of rows is built.
create index concurrently if not exists requests_by_status on requests (account_id, status, id) where completed_at is not null;
create index concurrently if not exists requests_by_mode on requests (account_id, livemode, id) where completed_at is not null;
create index concurrently if not exists requests_by_endpoint on requests (account_id, endpoint, id) where completed_at is not null;
create index concurrently if not exists requests_by_customer on requests (account_id, customer, id) where completed_at is not null and customer is not null;
create index concurrently if not exists requests_by_creation on requests (account_id, created_at) where completed_at is not null;
-- What json_each_text cannot read, such as half a character, is left out: it cannot be asked for either.
insert into request_metadata (account_id, pair, request_id)
select account_id, ('x' || left(md5(md5(key) || md5(value)), 13))::bit(52)::bigint, id
from requests, json_each_text(case when metadata::text !~ '\\u(0000|[dD][89a-fA-F])' then metadata end)
on conflict do nothing;
