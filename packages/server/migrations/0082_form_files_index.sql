-- Outside a transaction: the table is in use.
create index concurrently if not exists uploads_by_request on uploads (request_id) where request_id is not null;
