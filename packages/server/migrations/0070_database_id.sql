create table database_id (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid()
);
comment on table database_id is 'One row: the id of the database. A marker in the store of results has the same id.';
insert into database_id default values;
