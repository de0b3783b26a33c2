alter table database_id
  add column claims bigint not null default 0,
  add column claimed_at timestamptz not null default '-infinity';
comment on column database_id.claims is 'How often the database has renewed its claim on the file store. A restored copy of the database is behind the number in the store.';
