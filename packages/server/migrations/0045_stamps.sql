create table stamps (
  id text primary key,
  account_id bigint not null references accounts,
  livemode boolean not null,
  stamp jsonb not null,
  room_bytes bigint not null,
  source_bytes bigint not null,
  created_at timestamptz not null default now(),
  wanted_until timestamptz not null,
  attempt smallint not null default 0,
  lease_until timestamptz,
  outcome jsonb,
  upload_id text
);
create index stamps_waiting on stamps (account_id, livemode);
comment on table stamps is 'A picture that a call is held for until a worker has drawn it. The row is gone when the call is answered, whatever the answer is: it holds none but open calls, and what is left of processes that died, until wanted_until. outcome is what is to be answered; upload_id is the upload that was made, written in the transaction that completes it. room_bytes and source_bytes are the bounds of the key that called.';
