-- Outside a transaction: the tables are in use.
alter table webhook_secrets add column if not exists sealed_by text;
comment on column webhook_secrets.sealed_by is 'The fingerprint of the key that encrypted the secret; null: an older version of the program encrypted it.';
alter table requests add column if not exists destination_sealed_by text;
comment on column requests.destination_sealed_by is 'The fingerprint of the key that encrypted the destination; null: an older version of the program encrypted it.';
