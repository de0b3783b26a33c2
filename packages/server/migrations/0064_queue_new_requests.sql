-- Versions with jobs write the job themselves, and -infinity as the turn.
create trigger requests_queue_new after insert on requests
  for each row when (new.turn > '-infinity') execute function mirror_request();
