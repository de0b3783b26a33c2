alter table workers add column isolation text;
comment on column workers.isolation is 'The wall around the worker''s engines, as its canary found it. Null: of a version that did not say.';
