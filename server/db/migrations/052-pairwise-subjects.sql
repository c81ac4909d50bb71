-- What a client is told of who its users are (OIDC Core 8): the same `sub` as others, or one of its own sector.
alter table credentials
  add column subject_type text not null default 'public' check (subject_type in ('public', 'pairwise')),
  add column sector_identifier_uri text not null default ''; -- "": the sector is the host of its redirect URIs

-- Pairwise subjects are made by it. It stays as it is: with another one, every user would be another to every sector.
alter table tenants add column subject_key bytea not null
  default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
