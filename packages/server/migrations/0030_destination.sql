-- Null in older rows, so that no row is rewritten and nobody waits.

alter table requests add column destination bytea;
comment on column requests.destination is 'Where the result is put as well: the signed URL and its headers, encrypted with a key made of SECRET_KEY. Null where nothing was asked for, and from the end of the request on; input shows the host and the path.';
