-- Where a tenant's users may sign in instead of here.
create table identity_providers (
  id bigint generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  external_id text,
  type text not null check (type in ('OpenIDConnect', 'OAuth2')),
  -- OpenIDConnect has an issuer, OAuth2 its three endpoints
  issuer text,
  authorization_endpoint text,
  token_endpoint text,
  userinfo_endpoint text,
  client_id text not null,
  -- sealed by the master key; null: a public client
  client_secret bytea,
  scopes text[] not null,
  -- a User's field: the claim it comes from
  mapping jsonb not null,
  provisioning text not null check (provisioning in ('Create', 'LinkOnly')),
  allow_local boolean not null,
  is_active boolean not null,
  created_on timestamptz not null default now(),
  modified_on timestamptz not null default now(),
  constraint identity_providers_name_key unique (tenant_id, name),
  constraint identity_providers_external_id_key unique (tenant_id, external_id)
);

-- Application's AuthenticationId: its users sign in there.
alter table applications add column authentication_id bigint references identity_providers;
create index applications_authentication on applications (authentication_id);

-- Null: signed in here.
alter table sessions add column identity_provider_id bigint references identity_providers on delete cascade;
create index sessions_identity_provider on sessions (identity_provider_id);

-- Who a user is at a provider.
create table upstream_identities (
  tenant_id uuid not null references tenants,
  identity_provider_id bigint not null references identity_providers on delete cascade,
  -- who speaks of the subject: a provider that is pointed somewhere else knows none of its former users
  authority text not null,
  subject text not null,
  user_id integer not null references users on delete cascade,
  -- the provider made the user, and keeps its fields up to date
  provisioned boolean not null,
  linked_on timestamptz not null default now(),
  primary key (tenant_id, identity_provider_id, authority, subject)
);
create index upstream_identities_user on upstream_identities (user_id);

-- A browser on its way to a provider and back, and then, where an account is to be linked, to its password.
create table upstream_attempts (
  -- SHA-256 of the state, or of what the form to link carries
  digest bytea primary key,
  tenant_id uuid not null references tenants,
  identity_provider_id bigint not null references identity_providers on delete cascade,
  -- SHA-256 of the cookie of the browser that began it
  browser bytea not null,
  -- the authorization request to go on with, as path and query
  target text not null,
  -- seconds; 0: the user has to be asked again
  max_age integer,
  started_on timestamptz not null default now(),
  expires_on timestamptz not null,
  -- what the provider has said of the user, once it has
  identity jsonb,
  -- the session in which the password was given, where the account is linked only once the second factor is given too
  session_id uuid references sessions on delete cascade
);
create index upstream_attempts_expiry on upstream_attempts (expires_on);
create index upstream_attempts_session on upstream_attempts (session_id);

-- An e-mail address may be longer than an index entry.
create index users_email on users (tenant_id, md5(lower(email)));
