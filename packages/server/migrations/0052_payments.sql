alter table workers add column if not exists isolation text;
comment on column workers.isolation is 'The wall around the worker''s engines, as its canary found it. Null: of a version that did not say.';

create table stripe_events (
  id text primary key,
  type text not null,
  created_at timestamptz not null default now()
);
comment on table stripe_events is 'Events of Stripe that were booked, by Stripe''s own id: each is booked once, however often it is sent.';

create table stripe_charges (
  id text primary key,
  account_id bigint not null references accounts,
  refunded bigint not null default 0
);
comment on table stripe_charges is 'What was booked of each charge''s refunds: Stripe tells the sum of them, and what is new of it is booked.';
