alter table requests add column call_id text;
comment on column requests.call_id is 'The Request-Id of the call that created the request, for log lines. Null for requests of older versions.';
