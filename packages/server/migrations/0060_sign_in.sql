-- Outside a transaction: each statement by itself, so that no table is locked while another is altered or indexed.
alter table accounts add column if not exists email_key text;
comment on column accounts.email_key is 'The e-mail address as it is compared: ASCII letters in lower case, the domain in punycode. Null in rows of earlier versions, which are compared by email with its ASCII letters in lower case.';

alter table sign_in_links add column if not exists mailbox text;
comment on column sign_in_links.mailbox is 'The mailbox of email, without +tag. Mails to a mailbox are counted by it.';
comment on column sign_in_links.name is 'Of sign_up the name of the account to open, otherwise the name of the session that the link opens.';

alter table sessions add column if not exists name text, add column if not exists client text;
comment on column sessions.name is 'Who signed in, as far as it is known: the name of the key, the address that the link was mailed to, or the name of the operator.';
comment on column sessions.client is 'The client''s address at sign-in: IPv4, or the /64 of IPv6.';

alter table audit add column if not exists name text, add column if not exists client text;
comment on column audit.name is 'The name of the session, as it was then.';
comment on column audit.client is 'The client''s address: IPv4, or the /64 of IPv6.';

create index concurrently if not exists accounts_by_email_key on accounts ((coalesce(email_key, translate(email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')) collate "C"));
create index concurrently if not exists sign_in_links_by_mailbox on sign_in_links (mailbox collate "C", created_at) where mailbox is not null;
drop index concurrently if exists sign_in_links_email;
