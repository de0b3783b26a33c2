alter table workers add column role text;
comment on column workers.role is 'jobs, or maintenance (WORKER_CONCURRENCY=0): it runs no jobs. Null: a version that mediamill worker drain cannot drain.';
