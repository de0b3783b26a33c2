-- Outside a transaction: each statement by itself, so that calls go on while an index of millions of rows is built.
create index concurrently if not exists requests_by_kind on requests (account_id, livemode, status, endpoint, id) where completed_at is not null;
create index concurrently if not exists requests_by_customer_kind on requests (account_id, customer, livemode, status, endpoint, id) where completed_at is not null and customer is not null;
