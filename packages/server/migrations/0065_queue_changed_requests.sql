create trigger requests_queue_changed after update of worker_id, attempt, completed_at on requests
  for each row when (
    old.worker_id is distinct from new.worker_id or old.attempt <> new.attempt
    or old.completed_at is distinct from new.completed_at
  ) execute function mirror_request();
