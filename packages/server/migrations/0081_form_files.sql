-- Volatile, so that it counts the parts that were committed while its statement waited for a lock.
create function receiving_parts(account bigint, live boolean, excepted text[]) returns bigint language sql volatile as $$
  select count(*) from upload_parts
  where account_id = account and livemode = live and size is null and lease_until > now() and key <> all(excepted)
$$;

alter table uploads add column request_id bigint;
comment on column uploads.request_id is 'The request that the upload arrived with, as a file of its form. The end of the request deletes the upload. Null for other uploads.';
