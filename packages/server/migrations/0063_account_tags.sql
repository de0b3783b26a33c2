alter table accounts
  add column weight double precision not null default 1,
  add column tags jsonb not null default '{}';
comment on column accounts.weight is 'The share of the account in the fair order, beside accounts of weight 1 that wait too.';
comment on column accounts.tags is 'The tag of the account''s last job by lane: the next job of the account comes after it. An account whose jobs have all been claimed starts at the virtual time of the lane, however much it has used.';
