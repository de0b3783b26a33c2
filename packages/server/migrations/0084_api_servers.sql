create table api_servers (
  id uuid primary key,
  host text not null,
  pid integer not null,
  address text not null,
  version text not null,
  schema integer not null,
  keys text[] not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
) with (fillfactor = 50);
comment on table api_servers is 'A row for each API server, which it renews every 5 s and deletes when it stops, for mediamill doctor --fleet. API servers of earlier versions have no row.';
comment on column api_servers.schema is 'The number of the newest migration that the program of the server contains.';
comment on column api_servers.keys is 'The fingerprints of its SECRET_KEY, in order.';
