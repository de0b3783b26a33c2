alter table requests add column awaited boolean not null default false;
comment on column requests.awaited is 'Whether a call waited for the end: then its end is told by a notice, so that the answer does not wait for the next look.';
