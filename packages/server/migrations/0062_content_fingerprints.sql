alter table idempotency_keys add column content_fingerprint bytea;
comment on column idempotency_keys.content_fingerprint is 'Hash of the call with uploads compared by their content and without the signatures of presigned URLs; null if that is the fingerprint itself.';
