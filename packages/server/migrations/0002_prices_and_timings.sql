-- Both columns are null in older rows, so that no row is rewritten and nobody waits.

alter table requests add column unit_price bigint check (unit_price >= 0);
comment on column requests.unit_price is 'What one unit of the endpoint cost when the request was accepted: what its end is charged by, whatever the price is then. Null in rows of versions before it.';

alter table requests add column took json;
comment on column requests.took is 'How long each stage of the attempt that ended the request took, in milliseconds. Null until then, when no attempt ended it, and in rows of versions before it.';
