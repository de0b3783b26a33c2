-- Forward only. All ids are 64-bit integers below 2^53; all money is micro-dollars; all times are UTC.

create table accounts (
  id bigint generated always as identity (start with 1001) primary key,
  name text not null,
  email text not null,
  tier text not null default 'free' check (tier in ('free', 'paid')),
  balance bigint not null default 0,
  held bigint not null default 0 check (held >= 0),
  open_live integer not null default 0 check (open_live >= 0),
  open_test integer not null default 0 check (open_test >= 0),
  test_day date not null default '-infinity',
  test_accepted integer not null default 0,
  turn timestamptz not null default '-infinity',
  webhook_url text,
  requests_per_minute integer check (requests_per_minute > 0),
  concurrent_requests integer check (concurrent_requests > 0),
  max_source_bytes bigint check (max_source_bytes > 0),
  suspended boolean not null default false,
  created_at timestamptz not null default now()
) with (fillfactor = 50);
comment on table accounts is 'Who pays. balance is the sum of the ledger, held the sum of open requests'' holds, open_* the requests that are queued or processing: each is changed only in the statement that changes what it sums. turn is when the account''s next request is due, which makes claiming fair. fillfactor keeps the many small updates in their page.';

create table webhook_secrets (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index webhook_secrets_account on webhook_secrets (account_id);
comment on table webhook_secrets is 'What deliveries are signed with, encrypted with SECRET_KEY. A rolled secret keeps signing until expires_at.';

create table api_keys (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts,
  name text not null,
  livemode boolean not null,
  hash bytea not null unique,
  last_four text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index api_keys_account on api_keys (account_id);
comment on table api_keys is 'Keys by their SHA-256: the key itself is shown once and kept nowhere.';

create unlogged table call_windows (
  account_id bigint not null,
  livemode boolean not null,
  allowed integer not null,
  entered integer not null,
  at bigint[] not null,
  upto bigint[] not null,
  primary key (account_id, livemode)
) with (fillfactor = 40);
alter table call_windows alter at set storage plain, alter upto set storage plain;
comment on table call_windows is 'The calls of the last minute: upto[n] had come by at[n], in milliseconds of Unix time; the first entry is the last that is older than a minute. entered is how many the last statement let in. Unlogged: after a crash of the database a minute starts anew.';

create table requests (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts,
  livemode boolean not null,
  endpoint text not null,
  lane text not null,
  status text not null default 'queued' check (status in ('queued', 'processing', 'succeeded', 'failed', 'aborted')),
  source text not null,
  webhook_url text,
  input json not null,
  customer text,
  metadata json,
  trace json,
  hold bigint not null default 0 check (hold >= 0),
  turn timestamptz not null,
  attempt smallint not null default 0,
  worker_id uuid,
  progress smallint not null default 0,
  price bigint not null default 0,
  data json,
  files json,
  error json,
  source_bytes bigint not null default 0,
  result_bytes bigint not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  deleted_at timestamptz,
  sweep_at timestamptz
) with (
  fillfactor = 85, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.005, autovacuum_vacuum_cost_delay = 0,
  vacuum_index_cleanup = on
);
create index requests_claimable on requests (lane, turn, id) where worker_id is null and completed_at is null;
create index requests_held on requests (worker_id) where worker_id is not null;
create index requests_account on requests (account_id, id desc);
create index requests_open on requests (account_id) where status in ('queued', 'processing');
create index requests_sweepable on requests (sweep_at) where sweep_at is not null;
comment on table requests is 'A request and its job are one row. A worker holds it while worker_id is set; attempt fences off a worker that lost it. requests_open is told by the status, so that no plan for a claim can take it for the queue, which has to be read in its order. Claims go by turn, so that one busy account does not hold up the others. sweep_at is when its files are next to be deleted: deleted_at, or later when somebody is at it or the store did not do it; null once there are none. trace holds the headers that continue the call''s trace, or that of the attempt that ended it.';

create table idempotency_keys (
  account_id bigint not null,
  livemode boolean not null,
  key text not null,
  fingerprint bytea not null,
  holder uuid not null,
  held_until timestamptz not null,
  request_id bigint references requests,
  created_at timestamptz not null default now(),
  primary key (account_id, livemode, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
comment on table idempotency_keys is 'An Idempotency-Key is held by one call in flight until held_until, then bound to the request that the call made; a call that made none gives it back.';

create table ledger (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts,
  kind text not null check (kind in ('grant', 'purchase', 'charge', 'adjustment')),
  amount bigint not null,
  request_id bigint references requests,
  reference text,
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_insert_scale_factor = 0.02);
create unique index ledger_charge on ledger (request_id) where kind = 'charge';
create index ledger_account on ledger (account_id) include (amount);
comment on table ledger is 'Every movement of money, never changed or deleted; a request is charged at most once. Its index holds the amounts, and is swept early, so that an account is summed without its rows.';

create table events (
  id text primary key,
  account_id bigint not null references accounts,
  request_id bigint not null unique references requests,
  type text not null,
  url text,
  status text not null check (status in ('pending', 'delivered', 'undelivered', 'unaddressed')),
  attempts smallint not null default 0,
  lease integer not null default 0,
  due_at timestamptz,
  body bytea,
  created_at timestamptz not null default now(),
  check ((status = 'pending') = (due_at is not null)),
  check ((status = 'unaddressed') = (url is null))
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index events_account on events (account_id, created_at);
create index events_undelivered on events (account_id, created_at) where status = 'undelivered';
create index events_due on events (account_id, due_at) where due_at is not null;
comment on table events is 'One event for each finished request, written with its final state. url is where it is delivered, if anywhere. A pending one is claimed once due_at has come, which moves due_at to the end of the lease; lease counts the claims and fences off a process that lost one. body is what every attempt posts, fixed before the first. attempts counts those of this delivery that ended.';

create table delivery_attempts (
  id bigint generated always as identity primary key,
  event_id text not null references events,
  number smallint not null,
  url text not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status smallint,
  answer bytea,
  reason text,
  check ((status is null) = (reason is not null))
) with (autovacuum_vacuum_scale_factor = 0.02);
create index delivery_attempts_event on delivery_attempts (event_id, id);
comment on table delivery_attempts is 'Every attempt to deliver an event that ended: the status and the first 1 kB of the answer, or the reason why there was none.';

create table usage_days (
  account_id bigint not null references accounts,
  livemode boolean not null,
  scope text not null,
  day date not null,
  endpoint text not null,
  succeeded bigint not null,
  failed bigint not null,
  aborted bigint not null,
  spent bigint not null,
  succeeded_source_bytes bigint not null,
  failed_source_bytes bigint not null,
  result_bytes bigint not null,
  primary key (account_id, livemode, scope, day, endpoint)
) with (fillfactor = 70);
comment on table usage_days is 'Finished requests summed by the UTC day they were made, in the statement that finishes them. scope * is all of the account''s, = and a name those of one customer, - those without one.';

create table workers (
  id uuid primary key,
  host text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
) with (fillfactor = 50);
comment on table workers is 'Who is alive. Requests held by a worker that was not seen for ten seconds are taken over.';

create table rounds (
  name text primary key,
  due_at timestamptz not null
);
comment on table rounds is 'Work that one worker does for all, now and then: whoever finds it due moves due_at on, and does it.';
