-- Outside a transaction: in place of the file of this name, which builds an index before a process is ready. 0086 builds it.
create table if not exists stored_results (
  bytes bigint,
  measured_at timestamptz not null
);
comment on table stored_results is 'One row: the bytes of all results in the store, for the metrics. A worker sums them every 10 minutes; null before the first sum.';
insert into stored_results (measured_at) select '-infinity' where not exists (select from stored_results);
