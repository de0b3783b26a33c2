-- Null in older rows, so that none is rewritten and nobody waits. A constant default rewrites none either.

alter table accounts add column event_count bigint not null default 0;
comment on column accounts.event_count is 'How many events the account has had since events are numbered: raised in the statement that writes one, so that the next waits until that one has committed.';

alter table events add column sequence bigint;
comment on column events.sequence is 'The place in the account''s order of events, from 1 on without a gap, in the order in which they were committed. Null in rows of versions before it, which come before all others.';

-- Processes of the version before, which run on while this one is rolled out, do not number what they write.
create function number_event() returns trigger language plpgsql as $$
begin
  update accounts set event_count = event_count + 1 where id = new.account_id returning event_count into new.sequence;
  return new;
end
$$;
create trigger events_number before insert on events
  for each row when (new.sequence is null) execute function number_event();
