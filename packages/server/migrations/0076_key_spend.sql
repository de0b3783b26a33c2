-- Outside a transaction: the tables are in use.
alter table api_keys add column if not exists spent_on date, add column if not exists spent bigint not null default 0;
comment on column api_keys.spent is 'The prices and holds of the key''s requests created on the UTC day spent_on. Changed only while the row of the account is locked.';
drop index concurrently if exists requests_by_key;
