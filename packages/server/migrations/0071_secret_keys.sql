create table secret_keys (
  fingerprint text primary key,
  first_used_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  retired_at timestamptz
);
comment on table secret_keys is 'The key ring: the keys of SECRET_KEY with which processes signed and encrypted. A process starts only if it has every key that is not retired.';
comment on column secret_keys.fingerprint is 'Eight hexadecimal digits that are derived from the key and do not reveal it.';
comment on column secret_keys.last_used_at is 'When a process last ran with this key as its first. Processes update it once a minute.';
comment on column secret_keys.retired_at is 'Set by mediamill key-ring retire. Null: processes need the key.';
