-- A browser in which a user has signed in.
create table sessions (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  -- SHA-256 of the cookie's value
  digest bytea not null constraint sessions_digest_key unique,
  auth_time timestamptz not null default now(),
  -- RFC 8176
  amr text[] not null,
  acr text not null,
  created_on timestamptz not null default now(),
  last_seen timestamptz not null default now(),
  expires_on timestamptz not null,
  address text not null,
  user_agent text not null
);
create index sessions_user on sessions (tenant_id, user_id);
create index sessions_expiry on sessions (expires_on);

-- Browsers and addresses from which a user has signed in before: a stranger's failures must not hold their owner up.
create table known_devices (
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  -- SHA-256 of the cookie's value
  digest bytea not null,
  address text not null,
  last_seen timestamptz not null default now(),
  primary key (tenant_id, user_id, digest)
);
create index known_devices_age on known_devices (last_seen);

create table signin_failures (
  tenant_id uuid not null references tenants,
  -- SHA-256 of what is counted, in hex: an account at one place, an address, an account
  key text not null,
  failures integer not null,
  last_on timestamptz not null,
  blocked_until timestamptz not null,
  primary key (tenant_id, key)
);
create index signin_failures_age on signin_failures (last_on);

-- What a user has allowed an application; a request for no more than that is not asked again.
create table consents (
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  client_id bigint not null references credentials on delete cascade,
  scopes text[] not null,
  granted_on timestamptz not null default now(),
  primary key (tenant_id, user_id, client_id)
);

create table authorization_codes (
  -- SHA-256 of the code
  digest bytea primary key,
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  user_id integer not null references users on delete cascade,
  session_id uuid not null,
  redirect_uri text not null,
  -- RFC 6749 4.1.3: then the token request has to repeat it
  redirect_uri_sent boolean not null,
  scopes text[] not null,
  nonce text,
  -- RFC 7636, S256
  code_challenge text,
  auth_time timestamptz not null,
  amr text[] not null,
  acr text not null,
  -- OpenID Connect Core 5.5
  claims jsonb not null,
  expires_on timestamptz not null,
  used_on timestamptz,
  -- the tokens that came of it, revoked if it is presented again
  family_id uuid
);
create index authorization_codes_expiry on authorization_codes (expires_on);

-- Claims that the claims parameter asked of userinfo (OpenID Connect Core 5.5).
alter table refresh_families add column userinfo_claims text[] not null default '{}';
