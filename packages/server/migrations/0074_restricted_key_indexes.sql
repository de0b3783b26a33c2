-- Outside a transaction: the tables are in use.
create index concurrently if not exists requests_by_key on requests (key_id, created_at) include (hold, price, completed_at) where key_id is not null;
create index concurrently if not exists api_keys_by_origin on api_keys using gin ((restrictions -> 'origins')) where restrictions is not null;
