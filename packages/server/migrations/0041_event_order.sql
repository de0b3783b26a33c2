-- Outside a transaction: each statement by itself, so that calls go on while an index of millions of rows is built.
create unique index concurrently if not exists events_in_order on events (account_id, sequence) where sequence is not null;
create index concurrently if not exists events_before_order on events (account_id, created_at, request_id) where sequence is null;
