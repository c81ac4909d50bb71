-- What makes an Application an OAuth client; client_id is the Application's Id.
create table credentials (
  application_id bigint primary key references applications on delete cascade,
  client_type text not null default 'confidential' check (client_type in ('confidential', 'public', 'native')),
  grant_types text[] not null default '{}',
  scopes text[] not null default '{}',
  redirect_uris text[] not null default '{}'
);

create table client_secrets (
  id uuid primary key,
  application_id bigint not null references credentials on delete cascade,
  -- SHA-256 of the secret; the secret has 256 random bits, so no slow hash is needed
  digest bytea not null,
  created_on timestamptz not null default now()
);
create index client_secrets_application on client_secrets (application_id);

create table signing_keys (
  kid text primary key,
  alg text not null,
  public_jwk jsonb not null,
  -- the private JWK, sealed by the master key
  private_jwk bytea not null,
  created_on timestamptz not null default now(),
  retired_on timestamptz
);
-- One live key an algorithm, however many processes start at once.
create unique index signing_keys_live on signing_keys (alg) where retired_on is null;
