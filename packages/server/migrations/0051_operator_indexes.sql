-- Outside a transaction: each statement by itself, so that calls go on while an index of millions of rows is built.
create index concurrently if not exists ledger_by_account on ledger (account_id, id) include (amount);
drop index concurrently if exists ledger_account;
create index concurrently if not exists ledger_money_in on ledger (created_at) where kind in ('purchase', 'adjustment');
create index concurrently if not exists usage_days_live on usage_days (day) where scope = '*' and livemode;
