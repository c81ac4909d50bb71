-- APIs of a tenant's own, which take our access tokens (RFC 8707).
create table apis (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  audience text not null,
  scopes jsonb not null, -- [{"name": …, "description": …}]; no two APIs of a tenant have one of the same name
  access_token_alg text not null check (access_token_alg in ('RS256', 'ES256', 'EdDSA')),
  access_token_type text not null check (access_token_type in ('at+jwt', 'JWT')),
  token_lifetime integer, -- seconds; null: the client's
  application_id bigint references applications on delete set null, -- by its client the API introspects
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3) not null default now(), modified_by_type text, modified_by_id bigint,
  constraint apis_name_key unique (tenant_id, name),
  -- Of the whole installation: all tenants' tokens are of one issuer and of the same keys, so an API that looks at these
  -- and at the audience would take another tenant's.
  constraint apis_audience_key unique (audience)
);
create index apis_application on apis (application_id);
create trigger apis_announce after insert or update or delete on apis
  for each row execute function announce('clients');

-- What a grant's access tokens may be for: APIs by their Ids, and 'entity' for the entity API.
alter table authorization_codes add resources text[] not null default '{entity}';
alter table refresh_families add resources text[] not null default '{entity}';
