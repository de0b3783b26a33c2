alter table api_keys add column last_used_on date;
comment on column api_keys.last_used_on is 'The last day, in UTC, on which a call with this key was let in. Null: not since this was noted.';
