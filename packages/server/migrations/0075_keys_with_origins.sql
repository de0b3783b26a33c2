-- Outside a transaction: the table is in use.
create index concurrently if not exists api_keys_with_origins on api_keys (id) where restrictions -> 'origins' is not null and revoked_at is null;
drop index concurrently if exists api_keys_by_origin;
