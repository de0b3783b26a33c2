create table templates (
  account_id bigint not null,
  name text not null collate "C",
  version integer not null,
  endpoint text not null,
  fields json not null,
  variables json not null,
  created_at timestamptz not null default now(),
  primary key (account_id, name, version)
);
comment on table templates is 'The templates of accounts. A row is one version, and is never changed. fields are the endpoint''s own fields, where {"variable": name} stands for the value of a variable; variables are the declarations.';
