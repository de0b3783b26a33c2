-- Outside a transaction: in place of the file of this name, which keeps workers and requests while it makes the rest.

alter table workers add column if not exists video_places smallint;
comment on column workers.video_places is 'How many videos the worker makes at once, if it takes parts of long ones. Null: it takes none, or is of a version that knows no parts.';

create table if not exists part_plans (
  request_id bigint primary key,
  account_id bigint not null references accounts,
  worker_id uuid not null,
  attempt smallint not null,
  format text not null,
  source json not null,
  plan json not null,
  turn timestamptz not null,
  given_up boolean not null default false,
  created_at timestamptz not null default now()
);
alter table part_plans drop constraint if exists part_plans_request_id_fkey;
alter table part_plans add constraint part_plans_request_id_fkey foreign key (request_id) references requests not valid;
alter table part_plans validate constraint part_plans_request_id_fkey;
create index if not exists part_plans_account on part_plans (account_id);
comment on table part_plans is 'A long video that many workers make, while its request is open. worker_id and attempt are the claim of the request that carries the plan on: while the request has another, no part is claimed. format names who can work on it, source the state of the source that every part is read from, plan is the engine''s own. given_up: it goes in one piece after all.';

create table if not exists video_parts (
  id bigint generated always as identity primary key,
  request_id bigint not null references part_plans on delete cascade,
  number smallint not null,
  weight integer not null check (weight > 0),
  part json not null,
  attempt smallint not null default 0,
  worker_id uuid,
  progress smallint not null default 0,
  due_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  key text,
  size bigint,
  data json,
  error json,
  source_bytes bigint not null default 0,
  unique (request_id, number),
  check (completed_at is not null or (key is null and error is null)),
  check (completed_at is null or (key is null) <> (error is null))
) with (fillfactor = 70);
create index if not exists video_parts_claimable on video_parts (request_id, number) where worker_id is null and completed_at is null;
create index if not exists video_parts_held on video_parts (worker_id) where worker_id is not null;
create index if not exists video_parts_key on video_parts (key) where key is not null;
comment on table video_parts is 'The parts of long videos, in the order of the video; the rows go with their plan when the request has ended. A worker holds a part while worker_id is set; attempt fences off a worker that lost it. weight is what of the progress it is, in milliseconds of the video. key is its file in the store, data what joining has to know of it, error why there is none.';
