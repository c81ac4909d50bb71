-- The language of pages and mails for people whose own language is unknown, and texts that replace those of the catalogue.
alter table tenants add column language text not null default 'en',
  add column texts jsonb not null default '[]';

create or replace trigger tenants_announce_clients after update on tenants
  for each row when (old.settings_client_id is distinct from new.settings_client_id
    or (old.language, old.texts) is distinct from (new.language, new.texts))
  execute function announce('clients');
