alter table uploads add column room_extra bigint not null default 0;
comment on column uploads.room_extra is 'Bytes of the account''s room that the upload takes beyond size: an upload, and every short chunk but its last, counts as at least one disk block.';
