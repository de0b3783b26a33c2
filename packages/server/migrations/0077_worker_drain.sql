alter table workers add column draining_at timestamptz;
comment on column workers.draining_at is 'Set by mediamill worker drain: the worker claims nothing more, and exits when its jobs have ended.';
