create table jobs (
  kind text not null,
  record_id bigint not null,
  lane text not null,
  account_id bigint not null,
  tag bigint not null,
  attempt smallint not null default 0,
  worker_id uuid,
  created_at timestamptz not null default now(),
  primary key (record_id, kind)
) with (fillfactor = 85, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, vacuum_index_cleanup = on);
create index jobs_waiting on jobs (lane, tag, record_id) where worker_id is null;
create index jobs_waiting_by_account on jobs (lane, account_id, tag, record_id) where worker_id is null;
create index jobs_held on jobs (worker_id) where worker_id is not null;
comment on table jobs is 'Open work, and only open work: a row is written in the transaction that accepts its record and deleted in the one that ends it. kind names the table of record_id: request is requests. Waiting jobs of a lane are claimed by tag. A worker holds a job while worker_id is set; attempt fences off a worker that lost it. The lease of all jobs of a worker is its row in workers.';

create table lanes (
  lane text primary key,
  mark bigint not null default 0,
  marked_at timestamptz not null default now()
);
insert into lanes (lane) values ('image'), ('video'), ('document'), ('video_look');
comment on table lanes is 'mark is the next floor of the lane: it takes effect a moment later, when the transactions of its time have ended.';

create sequence lane_clock_image minvalue 0 start 0;
create sequence lane_clock_video minvalue 0 start 0;
create sequence lane_clock_document minvalue 0 start 0;
create sequence lane_clock_video_look minvalue 0 start 0;
comment on sequence lane_clock_image is 'The virtual time of the lane: the largest tag that was claimed. A sequence has no row versions: claims neither wait for each other nor leave dead rows.';
create sequence lane_floor_image minvalue 0 start 0;
create sequence lane_floor_video minvalue 0 start 0;
create sequence lane_floor_document minvalue 0 start 0;
create sequence lane_floor_video_look minvalue 0 start 0;
comment on sequence lane_floor_image is 'Where claims of the lane begin: no waiting job has a smaller tag. So a claim skips the index entries of ended jobs, which stay there while an old snapshot is open.';
select setval(('lane_' || what || '_' || lane)::regclass, 0) from lanes, unnest(array['clock', 'floor']) what;

create table endpoint_costs (
  endpoint text primary key,
  ms integer not null
);
comment on table endpoint_costs is 'How long a request of the endpoint holds a slot, on average: what its job costs in the fair order. Measured once a minute.';

create function mirror_request() returns trigger language plpgsql as $$
declare
  clock bigint := pg_sequence_last_value(('lane_clock_' || new.lane)::regclass);
begin
  if new.completed_at is not null then
    delete from jobs where kind = 'request' and record_id = new.id;
  elsif tg_op = 'INSERT' then
    insert into jobs (kind, record_id, lane, account_id, tag, attempt, worker_id, created_at)
    values ('request', new.id, new.lane, new.account_id, clock + 1000000, new.attempt, new.worker_id, new.created_at)
    on conflict do nothing;
  else
    update jobs set worker_id = new.worker_id, attempt = new.attempt,
      tag = case when new.worker_id is null then greatest(tag, clock) else tag end
    where kind = 'request' and record_id = new.id
      and (worker_id is distinct from new.worker_id or attempt <> new.attempt);
  end if;
  return null;
end
$$;
comment on function mirror_request is 'Keeps jobs in step with requests that processes of versions without jobs accept, claim, requeue, and end. Goes with the release that drops worker_id, attempt, and turn of requests.';
