create table schema_version (
  only_row boolean primary key default true check (only_row),
  version integer not null,
  program text not null,
  oldest_reader integer not null,
  oldest_program text not null
);
comment on table schema_version is 'One row: the version of the schema, and the oldest version of the program that can use it.';
comment on column schema_version.version is 'The number of the newest applied migration.';
comment on column schema_version.program is 'The version of the program that applied it.';
comment on column schema_version.oldest_reader is 'A program whose newest migration has a smaller number does not start. A migration that breaks older programs raises it.';
comment on column schema_version.oldest_program is 'The release to which oldest_reader belongs, for the message.';
insert into schema_version (version, program, oldest_reader, oldest_program) values (67, '0.1.0', 66, '0.1.0');

alter table workers add column version text;
comment on column workers.version is 'The version of the program that the worker runs, with its commit if it is known.';
