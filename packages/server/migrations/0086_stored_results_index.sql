-- In the background: the index only speeds up the sum of stored bytes, and replaces the index of the cleanup.
create index concurrently if not exists requests_stored on requests (sweep_at) include (result_bytes) where sweep_at is not null;
drop index concurrently if exists requests_sweepable;
