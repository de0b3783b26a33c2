-- Outside a transaction: the table is in use.
create table if not exists stored_results (
  bytes bigint,
  measured_at timestamptz not null
);
comment on table stored_results is 'One row: the bytes of all results in the store, for the metrics. A worker sums them every 10 minutes; null before the first sum.';
insert into stored_results (measured_at) select '-infinity' where not exists (select from stored_results);
create index concurrently if not exists requests_stored on requests (sweep_at) include (result_bytes) where sweep_at is not null;
drop index concurrently if exists requests_sweepable;
