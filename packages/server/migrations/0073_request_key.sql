alter table requests add column key_id bigint;
comment on column requests.key_id is 'The restricted key that created the request; null for other keys.';
