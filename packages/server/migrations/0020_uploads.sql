create table uploads (
  id text primary key,
  account_id bigint not null references accounts,
  livemode boolean not null,
  status text not null default 'waiting' check (status in ('waiting', 'complete', 'deleting')),
  signed boolean not null,
  filename text,
  origin text,
  size bigint not null check (size >= 0),
  received bigint not null default 0 check (received >= 0 and received <= size),
  sha256 text,
  format text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  sweep_at timestamptz not null
);
create index uploads_sweepable on uploads (sweep_at);
comment on table uploads is 'A file that a client sent. size is what it takes of its account''s room: what was announced, and what came once it is complete. signed: it comes over a signed URL, in as many parts as it takes. sweep_at is when it is next to be looked at for deletion: its lease while a call brings it, then expires_at, later while an open request uses it.';

create table upload_parts (
  key text primary key,
  upload_id text not null references uploads,
  account_id bigint not null,
  livemode boolean not null,
  start bigint not null check (start >= 0),
  size bigint check (size > 0),
  lease_until timestamptz not null
);
create unique index upload_parts_place on upload_parts (upload_id, start) where size is not null;
create index upload_parts_upload on upload_parts (upload_id);
create index upload_parts_open on upload_parts (account_id, livemode) where size is null;
comment on table upload_parts is 'The files in the store that an upload is made of, one after the other. A part is written here before its first byte is stored; size is null until it is whole, and its process renews lease_until.';

create table upload_room (
  account_id bigint not null references accounts,
  livemode boolean not null,
  bytes bigint not null check (bytes >= 0),
  primary key (account_id, livemode)
) with (fillfactor = 50);
comment on table upload_room is 'The sum of the sizes of an account''s uploads, by mode: changed only in the statement that changes what it sums.';
