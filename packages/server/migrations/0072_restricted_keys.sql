alter table api_keys add column restrictions jsonb;
comment on column api_keys.restrictions is 'What a restricted key can do; null for other keys. Processes of older versions reject restricted keys by their shape.';
