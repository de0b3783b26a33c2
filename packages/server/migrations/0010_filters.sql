create table request_metadata (
  account_id bigint not null,
  pair bigint not null,
  request_id bigint not null,
  primary key (account_id, pair, request_id)
) with (autovacuum_vacuum_insert_scale_factor = 0.02);
comment on table request_metadata is 'Which requests of an account carry a key and value of metadata: pair is 52 bits of a digest of both. Written with the request and never changed; whoever reads it compares the metadata itself.';
