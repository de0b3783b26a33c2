-- In the background: these indexes only speed up lists of requests, so a process starts without them.
create index concurrently if not exists requests_by_kind on requests (account_id, livemode, status, endpoint, id) where completed_at is not null;
create index concurrently if not exists requests_by_customer_kind on requests (account_id, customer, livemode, status, endpoint, id) where completed_at is not null and customer is not null;
