alter table credentials
  add column post_logout_redirect_uris text[] not null default '{}',
  add column access_token_alg text not null default 'EdDSA' check (access_token_alg in ('EdDSA', 'RS256')),
  add column id_token_alg text not null default 'RS256' check (id_token_alg in ('RS256', 'ES256', 'EdDSA')),
  -- one of our own applications: its users are not asked for consent
  add column first_party boolean not null default false;

-- Everything that came of one grant: its refresh tokens, one after the other, and their access tokens. A refresh token
-- is no row of its own: it names its family and generation, under a MAC.
create table refresh_families (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  application_id bigint not null references applications on delete cascade,
  -- null: the client's own, by client_credentials
  user_id integer references users on delete cascade,
  scopes text[] not null,
  -- the sign-in session that it began in
  session_id uuid,
  auth_time timestamptz,
  acr text,
  amr text[],
  -- the one that is good now; a lower one was used before
  generation integer not null default 0,
  rotated_on timestamptz not null default now(),
  expires_on timestamptz not null,
  revoked_on timestamptz
) with (fillfactor = 80);
create index refresh_families_application on refresh_families (application_id);
create index refresh_families_user on refresh_families (user_id);
create index refresh_families_session on refresh_families (session_id);
create index refresh_families_expiry on refresh_families (expires_on);

-- Access tokens refused though they have not expired: by their jti, or all of a family by its id. Every process keeps
-- these in memory.
create table revoked_tokens (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  revoked_on timestamptz not null default clock_timestamp(),
  expires_on timestamptz not null
);
create index revoked_tokens_revoked on revoked_tokens (revoked_on);

-- A key is published from created_on and signs from signs_from until the next one of its algorithm does.
drop index signing_keys_live;
alter table signing_keys drop column retired_on, add column signs_from timestamptz not null default now();
