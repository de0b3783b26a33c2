-- Outside a transaction: in place of the file of this name, which checks every row while it keeps all calls out.

alter table requests add column if not exists unit_price bigint;
comment on column requests.unit_price is 'What one unit of the endpoint cost when the request was accepted: what its end is charged by, whatever the price is then. Null in rows of versions before it.';
alter table requests drop constraint if exists requests_unit_price_check;
alter table requests add constraint requests_unit_price_check check (unit_price >= 0) not valid;
alter table requests validate constraint requests_unit_price_check;

alter table requests add column if not exists took json;
comment on column requests.took is 'How long each stage of the attempt that ended the request took, in milliseconds. Null until then, when no attempt ended it, and in rows of versions before it.';
