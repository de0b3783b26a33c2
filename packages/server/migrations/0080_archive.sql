-- Outside a transaction: the tables are in use.
alter table ledger drop constraint if exists ledger_request_id_fkey;
alter table idempotency_keys drop constraint if exists idempotency_keys_request_id_fkey;
comment on column ledger.request_id is 'The request of a charge. mediamill request archive may have moved its record to a file.';
