-- The language of pages and mails for people of whom no other is known.
alter table tenants add column language text not null default 'en';

create or replace trigger tenants_announce_clients after update on tenants
  for each row when (old.settings_client_id is distinct from new.settings_client_id
    or old.language is distinct from new.language)
  execute function announce('clients');
