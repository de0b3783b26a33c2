alter table workers add column pid integer;
comment on column workers.pid is 'Process id of the worker on its host, or in its container.';
