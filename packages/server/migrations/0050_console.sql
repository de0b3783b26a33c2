create table sign_in_links (
  hash bytea primary key,
  kind text not null check (kind in ('account', 'operator', 'sign_up')),
  account_id bigint references accounts,
  name text,
  email text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  check (kind <> 'account' or account_id is not null),
  check (kind <> 'sign_up' or email is not null)
);
create index sign_in_links_age on sign_in_links (expires_at);
create index sign_in_links_email on sign_in_links (lower(email), created_at) where email is not null;
comment on table sign_in_links is 'Links into the developer area by the SHA-256 of their token, which is kept nowhere. Each is used once. sign_up opens an account of this name and e-mail address; an operator''s may bring along the account that is shown first. email is where a link was mailed to.';

create table sessions (
  id bigint generated always as identity primary key,
  hash bytea not null unique,
  kind text not null check (kind in ('account', 'key', 'operator')),
  account_id bigint references accounts,
  key_id bigint references api_keys,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  revoked_at timestamptz,
  check (kind = 'operator' or account_id is not null),
  check ((kind = 'key') = (key_id is not null))
) with (fillfactor = 70);
create index sessions_account on sessions (account_id, id);
create index sessions_operator on sessions (id) where kind = 'operator';
create index sessions_age on sessions (created_at);
comment on table sessions is 'Browsers that are signed in to the developer area, by the SHA-256 of their cookie. One of a key lives as long as its key.';

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  account_id bigint references accounts,
  session_id bigint,
  actor text not null,
  action text not null,
  subject text,
  detail json not null
);
create index audit_account on audit (account_id, id);
comment on table audit is 'Every change that was made in the developer area, in the transaction of the change: who (the kind of session, a command, stripe), what (key.created), of what. Never changed or deleted. account_id is whose; null for what is of no account.';

create index accounts_by_email on accounts (lower(email) text_pattern_ops);
create index accounts_by_name on accounts (lower(name) text_pattern_ops);
