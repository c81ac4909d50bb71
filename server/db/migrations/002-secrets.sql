-- What tells an application's secrets apart: a name, and whether one is still in use.
alter table client_secrets
  add column name text not null default '',
  add column last_used_on timestamptz; -- at most an hour behind; null: never

-- That a secret is used is no news to who keeps clients in memory.
drop trigger client_secrets_announce_client on client_secrets;
create trigger client_secrets_announce_client after insert or delete on client_secrets
  for each row execute function announce('clients');
