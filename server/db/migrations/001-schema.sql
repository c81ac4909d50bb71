-- The whole schema, by subject. Every row is of a tenant: the column tenant_id, or a parent that has it.
-- What is sealed is encrypted by MASTER_KEY. A digest is a SHA-256 hash unless it says otherwise.

-- # Tenants

create table tenants (
  id uuid primary key,
  name text not null constraint tenants_name_key unique,
  -- Whether each user needs two factors to sign in.
  second_factor text not null default 'Optional' check (second_factor in ('Optional', 'Required')),
  -- The client of Settings. It is made with the tenant and stays.
  settings_client_id bigint,
  client_registration text not null default 'Off'
    check (client_registration in ('Off', 'InitialAccessToken', 'Open')),
  registration_scopes text[] not null default '{openid,profile,name,email}',
  -- Pairwise subjects are made by it. It stays as it is: with another one, every user would be another to every sector.
  subject_key bytea not null
    default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
);

-- Where a tenant's users may sign in instead of here.
create table identity_providers (
  id bigint generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  external_id text,
  type text not null check (type in ('OpenIDConnect', 'OAuth2')),
  issuer text, -- OpenIDConnect has an issuer, OAuth2 its three endpoints
  authorization_endpoint text,
  token_endpoint text,
  userinfo_endpoint text,
  client_id text not null,
  client_secret bytea, -- sealed; null: a public client
  -- Null: as the provider's metadata says.
  token_endpoint_auth_method text check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post')),
  scopes text[] not null,
  mapping jsonb not null, -- a User's field: the claim it comes from
  provisioning text not null check (provisioning in ('Create', 'LinkOnly')),
  -- Whom the provider may make a user of; empty: no rule.
  allowed_domains text[] not null default '{}',
  allowed_tenants text[] not null default '{}',
  require_verified_email boolean not null default false,
  allow_local boolean not null,
  is_active boolean not null,
  constraint identity_providers_name_key unique (tenant_id, name),
  constraint identity_providers_external_id_key unique (tenant_id, external_id)
);

-- # Entities
-- Dates have milliseconds, as the API shows them, so that a filter finds what it was given.
-- sequence is how many changes a record has seen; its newest event has the same number.
-- search_text is what a list is searched in: the short texts in small letters, a line each. One look at it costs a
-- quarter of one at each text, and needs no extension.

create table departments (
  id bigint generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  external_id text,
  description text,
  is_active boolean not null default false,
  parent_id bigint references departments,
  sequence bigint not null default 1,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
  search_text text not null generated always as (lower(
    coalesce(name, '') || E'\n' || coalesce(external_id, ''))) stored,
  constraint departments_name_key unique (tenant_id, name),
  constraint departments_external_id_key unique (tenant_id, external_id)
);
create index departments_tenant on departments (tenant_id, id);
create index departments_parent on departments (parent_id);

-- A Username as it is compared: wide and narrow forms, capitals and compositions of a character are the same one, as in
-- RFC 8265's UsernameCaseMapped. NFKC maps more than widths alone, and to go by capitals makes one of the small letters
-- that share one (σ and ς), so it tells fewer names apart, never more.
create function username_key(username text) returns text language sql immutable strict parallel safe as $$
  select nullif(normalize(lower(normalize(upper(normalize(username, NFKC) collate "pg_c_utf8"), NFC)), NFC), '')
$$;

create table users (
  id integer generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  username text,
  username_key text generated always as (username_key(username)) stored,
  email text,
  mobile_phone text,
  -- What applications may be told besides (OpenID Connect Core 5.1).
  given_name text,
  family_name text,
  locale text,
  zone_info text,
  picture text,
  middle_name text,
  nickname text,
  profile text,
  website text,
  gender text,
  birth_date text,
  address text,
  email_verified boolean not null default false,
  mobile_phone_verified boolean not null default false,
  external_id text,
  department_id bigint references departments,
  last_login timestamptz(3),
  is_active boolean not null default false,
  sequence bigint not null default 1,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
  search_text text not null generated always as (lower(
    coalesce(name, '') || E'\n' || coalesce(username, '') || E'\n' || coalesce(email, '') || E'\n' ||
    coalesce(mobile_phone, '') || E'\n' || coalesce(external_id, ''))) stored,
  constraint users_external_id_key unique (tenant_id, external_id)
);
create index users_tenant on users (tenant_id, id);
create index users_username on users (tenant_id, username);
-- By a hash, for NFKC may make a text longer than an index entry, and an e-mail address may be longer too.
create index users_username_key on users (tenant_id, md5(username_key));
create index users_email on users (tenant_id, md5(lower(email)));
create index users_department on users (department_id);

create table applications (
  id bigint generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  application_key text,
  external_id text,
  description text,
  web_site_url text,
  is_system boolean not null default false,
  is_end_user boolean not null default false,
  is_active boolean not null default false,
  parent_id bigint references applications,
  authentication_id bigint references identity_providers, -- AuthenticationId: its users sign in there
  sequence bigint not null default 1,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
  search_text text not null generated always as (lower(
    coalesce(name, '') || E'\n' || coalesce(application_key, '') || E'\n' || coalesce(external_id, '') || E'\n' ||
    coalesce(web_site_url, ''))) stored,
  constraint applications_name_key unique (tenant_id, name),
  constraint applications_application_key_key unique (tenant_id, application_key),
  constraint applications_external_id_key unique (tenant_id, external_id)
);
create index applications_tenant on applications (tenant_id, id);
create index applications_parent on applications (parent_id);
create index applications_authentication on applications (authentication_id);

alter table tenants add constraint tenants_settings_client_id_fkey
  foreign key (settings_client_id) references applications;

-- Who created or changed a record, as an AbstractLong. One that has been deleted keeps its Id and Type.
create function actor_reference(actor_type text, actor_id bigint) returns json language sql stable as $$
  select case actor_type
    when 'User' then (
      select json_build_object('Id', actor_id, 'ExternalId', coalesce(u.external_id, ''), 'Name', coalesce(u.name, ''),
        'Type', 'User')
      from (select) as one left join users u on u.id = actor_id)
    when 'Application' then (
      select json_build_object('Id', actor_id, 'ExternalId', coalesce(a.external_id, ''), 'Name', coalesce(a.name, ''),
        'Type', 'Application')
      from (select) as one left join applications a on a.id = actor_id)
  end
$$;

-- # Access

create table policies (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  description text not null default '',
  policy text not null, -- Cedar
  created_on timestamptz not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz not null default now(), modified_by_type text, modified_by_id bigint,
  constraint policies_name_key unique (tenant_id, name)
);

-- Every text that a policy has had, the newest 50 of them.
create table policy_versions (
  tenant_id uuid not null references tenants,
  policy_id uuid not null references policies on delete cascade,
  number integer not null,
  policy text not null, -- Cedar
  saved_on timestamptz not null, saved_by_type text, saved_by_id bigint,
  primary key (policy_id, number)
);

create function keep_policy_version() returns trigger language plpgsql as $$
declare
  last integer := coalesce((select max(number) from policy_versions where policy_id = new.id), 0);
begin
  if tg_op = 'UPDATE' and new.policy = old.policy then
    return null;
  end if;
  insert into policy_versions
  values (new.tenant_id, new.id, last + 1, new.policy, new.modified_on, new.modified_by_type, new.modified_by_id);
  delete from policy_versions where policy_id = new.id and number <= last + 1 - 50;
  return null;
end
$$;

create trigger policies_keep_version after insert or update on policies
  for each row execute function keep_policy_version();

create table roles (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  description text not null,
  scopes text[] not null,
  created_on timestamptz not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz not null default now(), modified_by_type text, modified_by_id bigint,
  constraint roles_name_key unique (tenant_id, name)
);

create table role_members (
  tenant_id uuid not null references tenants,
  role_id uuid not null references roles on delete cascade,
  user_id integer references users on delete cascade,
  application_id bigint references applications on delete cascade,
  check (num_nonnulls(user_id, application_id) = 1),
  unique (role_id, user_id),
  unique (role_id, application_id)
);
create index role_members_user on role_members (user_id) where user_id is not null;
create index role_members_application on role_members (application_id) where application_id is not null;

-- Every process keeps in memory policies, members of roles, callers, clients, and what tokens give. It forgets them when
-- it hears of a change, whoever made it. The first argument says of what; with 'clients only' as the second, a change of
-- an application that is no client is none.
create function announce() returns trigger language plpgsql as $$
declare
  tenant uuid;
begin
  if tg_table_name = 'tenants' then
    tenant := new.id;
  elsif tg_table_name in ('credentials', 'client_secrets') then
    select tenant_id into tenant from applications where id = coalesce(new.application_id, old.application_id);
  elsif tg_argv[1] = 'clients only' and tg_op = 'UPDATE' then
    select old.tenant_id into tenant where exists (select from credentials where application_id = old.id);
  else
    tenant := coalesce(new.tenant_id, old.tenant_id);
  end if;
  if tenant is not null then
    perform pg_notify('gatehouse_access', tg_argv[0] || ' ' || tenant);
  end if;
  return null;
end
$$;

create trigger policies_announce after insert or update or delete on policies
  for each row execute function announce('policies');
-- Apart from callers, which change with every sign-in: a policy may ask any record for its roles.
create trigger roles_announce after update or delete on roles
  for each row execute function announce('roles');
create trigger role_members_announce after insert or update or delete on role_members
  for each row execute function announce('roles');
create trigger users_announce after update or delete on users
  for each row execute function announce('principals');
create trigger departments_announce after update or delete on departments
  for each row execute function announce('principals');

-- # OAuth

-- What makes an Application an OAuth client; client_id is the Application's Id.
create table credentials (
  application_id bigint primary key references applications on delete cascade,
  client_type text not null default 'confidential' check (client_type in ('confidential', 'public', 'native')),
  grant_types text[] not null,
  scopes text[] not null default '{}',
  redirect_uris text[] not null default '{}',
  post_logout_redirect_uris text[] not null default '{}',
  access_token_alg text not null default 'RS256' check (access_token_alg in ('RS256', 'ES256', 'EdDSA')),
  access_token_type text not null default 'at+jwt' check (access_token_type in ('at+jwt', 'JWT')),
  access_token_lifetime integer, -- seconds; null: TOKEN_LIFETIME
  refresh_token_lifetime integer, -- seconds from the grant on; null: the standard one
  id_token_alg text not null default 'RS256' check (id_token_alg in ('RS256', 'ES256', 'EdDSA')),
  -- One of our own applications: its users are not asked for consent.
  first_party boolean not null default false,
  -- Claims beside the standard ones: [{"Claim": …, "From": …}], and those of scopes where they do not stand by themselves.
  id_token_claims boolean not null default false,
  claim_mapping jsonb not null default '[]',
  require_par boolean not null default false,
  -- How it proves who it is, and the public keys that it does so by (RFC 7523). Null: by a secret in either way, or
  -- without one, as its client_type has it.
  token_endpoint_auth_method text check (
    token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none')),
  jwks jsonb, -- RFC 7517 5; public keys alone
  jwks_uri text not null default '',
  backchannel_logout_uri text, -- null: it is told of no logout
  security_profile text not null default 'None' check (security_profile in ('None', 'FAPI2')),
  dpop_bound boolean not null default false, -- it is given tokens that are bound to a key of its alone (RFC 9449)
  -- What it is told of who its users are (OIDC Core 8): the same `sub` as others, or one of its own sector.
  subject_type text not null default 'public' check (subject_type in ('public', 'pairwise')),
  sector_identifier_uri text not null default '' -- "": the sector is the host of its redirect URIs
);

create trigger applications_announce after update or delete on applications
  for each row execute function announce('principals', 'clients only');
create trigger credentials_announce after update on credentials
  for each row when (old.scopes is distinct from new.scopes) execute function announce('principals');

create table client_secrets (
  id uuid primary key,
  application_id bigint not null references credentials on delete cascade,
  digest bytea not null, -- the secret has 256 random bits, so no slow hash is needed
  name text not null default '',
  created_on timestamptz not null default now(),
  last_used_on timestamptz -- at most an hour behind; null: never
);
create index client_secrets_application on client_secrets (application_id);

create trigger credentials_announce_client after insert or update or delete on credentials
  for each row execute function announce('clients');
-- That a secret is used is no news to who keeps clients in memory.
create trigger client_secrets_announce_client after insert or delete on client_secrets
  for each row execute function announce('clients');

create trigger applications_announce_client_update after update on applications
  for each row when ((old.name, old.web_site_url, old.is_active, old.authentication_id)
    is distinct from (new.name, new.web_site_url, new.is_active, new.authentication_id))
  execute function announce('clients');
create trigger applications_announce_client_delete after delete on applications
  for each row execute function announce('clients');
create trigger identity_providers_announce_clients after update or delete on identity_providers
  for each row execute function announce('clients');

create trigger tenants_announce_clients after update on tenants
  for each row when (old.settings_client_id is distinct from new.settings_client_id)
  execute function announce('clients');

-- What a user has allowed an application; a request for no more than that is not asked again.
create table consents (
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  client_id bigint not null references credentials on delete cascade,
  scopes text[] not null,
  granted_on timestamptz not null default now(),
  primary key (tenant_id, user_id, client_id)
);
create index consents_client on consents (client_id, user_id);

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
  -- As a client's.
  include_claims boolean not null default false,
  claim_mapping jsonb not null default '[]',
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

create table authorization_codes (
  digest bytea primary key,
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  user_id integer not null references users on delete cascade,
  session_id uuid not null,
  redirect_uri text not null,
  redirect_uri_sent boolean not null, -- RFC 6749 4.1.3: then the token request has to repeat it
  scopes text[] not null,
  nonce text,
  code_challenge text, -- RFC 7636, S256
  auth_time timestamptz not null,
  amr text[] not null,
  acr text not null,
  claims jsonb not null, -- OpenID Connect Core 5.5
  resources text[] not null default '{entity}', -- as in refresh_families
  expires_on timestamptz not null,
  used_on timestamptz,
  family_id uuid, -- the tokens that came of it, revoked if it is presented again
  dpop_jkt text -- the thumbprint of the key that redeems it; null: any key, or none
);
create index authorization_codes_expiry on authorization_codes (expires_on);

-- Everything that came of one grant: its refresh tokens, one after the other, and their access tokens. A refresh token
-- is no row of its own: it names its family and generation, under a MAC.
create table refresh_families (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  application_id bigint not null references applications on delete cascade,
  user_id integer references users on delete cascade, -- null: the client's own, by client_credentials
  scopes text[] not null,
  -- What its access tokens may be for (RFC 8707): APIs by their Ids, and 'entity' for the entity API.
  resources text[] not null default '{entity}',
  -- Claims that the claims parameter asked of userinfo (OpenID Connect Core 5.5).
  userinfo_claims text[] not null default '{}',
  session_id uuid, -- the sign-in session that it began in
  auth_time timestamptz,
  acr text,
  amr text[],
  generation integer not null, -- the one that is good now; a lower one was used before
  rotated_on timestamptz not null default now(),
  expires_on timestamptz not null,
  revoked_on timestamptz,
  jkt text, -- the thumbprint of the key that refreshes it; null: its client proves itself otherwise
  started_on timestamptz not null default now()
) with (fillfactor = 80);
create index refresh_families_application on refresh_families (application_id, user_id);
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

-- The installation's, not a tenant's. A key is published at once, and signs from signs_from until the next one of its
-- algorithm does.
create table signing_keys (
  kid text primary key,
  alg text not null,
  public_jwk jsonb not null,
  private_jwk bytea not null, -- the private JWK, sealed
  signs_from timestamptz not null
);

-- # Sign-in

create table passwords (
  user_id integer primary key references users on delete cascade,
  hash text not null -- argon2id, with its parameters and salt in the text
);

-- One-time links by which a user sets a password; a new one takes the former's place.
create table password_resets (
  user_id integer primary key references users on delete cascade,
  tenant_id uuid not null references tenants,
  digest bytea not null constraint password_resets_digest_key unique, -- of the link's token
  expires_on timestamptz not null
);
create index password_resets_expiry on password_resets (expires_on);

-- Authenticator apps (RFC 6238).
create table totp_secrets (
  user_id integer primary key references users on delete cascade,
  tenant_id uuid not null references tenants,
  secret bytea not null, -- Base32, sealed
  last_step bigint not null, -- the step of the last code that was taken: each is good once (RFC 6238 5.2)
  -- What the digests of the user's recovery codes are made by, sealed: so they outlive the master key.
  recovery_key bytea not null,
  created_on timestamptz not null default now()
);

create table recovery_codes (
  tenant_id uuid not null references tenants,
  user_id integer not null references totp_secrets on delete cascade,
  digest bytea not null, -- a MAC: the codes are short enough to type, so too short for a plain hash
  primary key (user_id, digest)
);

-- A browser in which a user has signed in.
create table sessions (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  digest bytea not null constraint sessions_digest_key unique, -- of the cookie's value
  identity_provider_id bigint references identity_providers on delete cascade, -- null: signed in here
  auth_time timestamptz not null default now(),
  -- False: an identity provider does not say when the user proved who they are; auth_time is when it sent the user.
  is_auth_time_known boolean not null default true,
  amr text[] not null, -- RFC 8176
  acr text not null,
  address text not null,
  user_agent text not null,
  created_on timestamptz not null default now(),
  finished_on timestamptz, -- when its user had given all that a sign-in takes; null: it is no session yet
  last_seen timestamptz not null default now(),
  expires_on timestamptz not null
);
create index sessions_user on sessions (tenant_id, user_id);
create index sessions_identity_provider on sessions (identity_provider_id);
create index sessions_expiry on sessions (expires_on);

-- A browser that is signed in to Settings. It ends with the sign-in session, and with the grant that it came of.
create table settings_sessions (
  session_id uuid primary key references sessions on delete cascade,
  tenant_id uuid not null references tenants,
  family_id uuid not null references refresh_families on delete cascade,
  digest bytea not null -- of the cookie's value
);
create index settings_sessions_family on settings_sessions (family_id);

-- Browsers and addresses from which a user has signed in: a stranger's failures must not hold their owner up.
create table known_devices (
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  digest bytea not null, -- of the cookie's value
  address text not null,
  last_seen timestamptz not null default now(),
  primary key (tenant_id, user_id, digest)
);
create index known_devices_age on known_devices (last_seen);

create table signin_failures (
  -- Of any tenant that is named, also one that does not exist: attempts there are slowed down alike.
  tenant_id uuid not null,
  key text not null, -- a digest, in hex, of what is counted: an account at one place, an address, an account
  failures integer not null,
  last_on timestamptz not null,
  blocked_until timestamptz not null,
  -- The blocked_until that the audit log has told of: each time that attempts are blocked is one row there.
  audited_until timestamptz,
  primary key (tenant_id, key)
);
create index signin_failures_age on signin_failures (last_on);

-- Who a user is at a provider.
create table upstream_identities (
  tenant_id uuid not null references tenants,
  identity_provider_id bigint not null references identity_providers on delete cascade,
  -- Who speaks of the subject. A provider that is pointed somewhere else knows none of its former users.
  authority text not null,
  subject text not null,
  user_id integer not null references users on delete cascade,
  provisioned boolean not null, -- the provider made the user, and keeps its fields up to date
  linked_on timestamptz not null default now(),
  primary key (tenant_id, identity_provider_id, authority, subject)
);
create index upstream_identities_user on upstream_identities (user_id);

-- A browser on its way to a provider and back, and then, where an account is to be linked, to its password.
create table upstream_attempts (
  digest bytea primary key, -- of the state, or of what the form to link carries
  tenant_id uuid not null references tenants,
  identity_provider_id bigint not null references identity_providers on delete cascade,
  browser bytea not null, -- the digest of the cookie of the browser that began it
  target text not null, -- the authorization request to go on with, as path and query
  max_age integer, -- seconds; 0: the user has to be asked again
  identity jsonb, -- what the provider has said of the user, once it has
  -- The session in which the password was given, where the account is linked only once the second factor is given too.
  session_id uuid references sessions on delete cascade,
  started_on timestamptz not null default now(),
  expires_on timestamptz not null
);
create index upstream_attempts_session on upstream_attempts (session_id);
create index upstream_attempts_expiry on upstream_attempts (expires_on);

-- A user who can sign in has its Username to itself; others may share theirs.

-- Whether a User has a way to sign in, or a link to set a password.
create function can_sign_in(id integer) returns boolean language sql stable as $$
  select exists (select from passwords where user_id = id)
    or exists (select from totp_secrets where user_id = id)
    or exists (select from upstream_identities where user_id = id)
    or exists (select from password_resets where user_id = id and expires_on > now())
$$;

-- Transactions of a tenant that write a Username, or give its User a way to sign in, go one after the other. The lock
-- is that of server/entities/store.ts, so a transaction that holds it does not wait here.
create function refuse_shared_username(tenant uuid, own_id integer, own_key text, signs_in boolean) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('users ' || tenant, 0));
  if exists (
    select from users u
    where u.tenant_id = tenant and md5(u.username_key) = md5(own_key) and u.username_key = own_key and u.id <> own_id
      and (signs_in or can_sign_in(own_id) or can_sign_in(u.id))
  ) then
    raise exception 'a Username of who can sign in would be shared'
      using errcode = 'unique_violation', constraint = 'users_username_own', table = 'users';
  end if;
end
$$;

create function own_username() returns trigger language plpgsql as $$
begin
  perform refuse_shared_username(new.tenant_id, new.id, new.username_key, false);
  return null;
end
$$;

create trigger users_username_own_inserted after insert on users
  for each row when (new.username_key is not null) execute function own_username();
create trigger users_username_own_changed after update of username on users
  for each row when (new.username_key is distinct from old.username_key and new.username_key is not null)
  execute function own_username();

-- Before the row is written: the lock is waited for before the foreign key locks the User.
create function own_username_of_way_in() returns trigger language plpgsql as $$
declare
  tenant uuid;
  own_key text;
begin
  -- A User with a password has had the name to itself since it was set.
  if exists (select from passwords where user_id = new.user_id) then return new; end if;
  select tenant_id into tenant from users where id = new.user_id;
  perform pg_advisory_xact_lock(hashtextextended('users ' || tenant, 0));
  select username_key into own_key from users where id = new.user_id;
  if own_key is not null then perform refuse_shared_username(tenant, new.user_id, own_key, true); end if;
  return new;
end
$$;

create trigger passwords_username_own before insert on passwords
  for each row execute function own_username_of_way_in();
create trigger totp_secrets_username_own before insert on totp_secrets
  for each row execute function own_username_of_way_in();
create trigger upstream_identities_username_own before insert on upstream_identities
  for each row execute function own_username_of_way_in();
create trigger password_resets_username_own before insert on password_resets
  for each row execute function own_username_of_way_in();

-- # Webhooks: events

create table events (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  -- In the order of commits for each record, for a change keeps its record locked until it is committed.
  position bigint generated always as identity,
  event_record text not null,
  event_type text not null check (event_type in ('Created', 'Updated', 'Deleted', 'Ping')),
  record_id text not null,
  -- The sequence of each record, in the payload's order; null: a ping, which is of no change.
  sequences bigint[],
  -- The exact text that is signed and posted, so that every attempt sends the same bytes.
  payload text not null,
  occurred_on timestamptz not null, -- by the API's clock, as the payload says
  -- By PostgreSQL's clock, as webhook_connection_changes.changed_on.
  recorded_on timestamptz not null default clock_timestamp(),
  written_by xid8 not null default pg_current_xact_id(), -- for who is told of each event once it is committed
  -- W3C Trace Context of the request that made the event; its attempts are of the same trace.
  trace_parent text
);
create index events_tenant on events (tenant_id, id);
-- What became of one record: in events of its own, and in those of several.
create index events_record on events (tenant_id, record_id, id) where strpos(record_id, ',') = 0;
create index events_members on events using gin (string_to_array(record_id, ',')) where strpos(record_id, ',') > 0;
-- Pings are no dead letters, whatever came of them.
create index events_ping on events (tenant_id, id) where event_type = 'Ping';

-- # Webhooks: connections

create table webhook_connections (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text,
  description text,
  url text not null,
  entities text[] not null,
  events text[] not null,
  secret bytea, -- sealed; null: the calls are not signed
  api_key bytea not null, -- sealed
  headers bytea, -- extra headers as a JSON object, sealed; null: none
  timeout_ms integer, -- milliseconds that one attempt may take; null: WEBHOOK_TIMEOUT
  -- Record: of a record one delivery at a time, in the order of commits.
  order_by text not null check (order_by in ('None', 'Record')),
  rate_per_second smallint check (rate_per_second between 1 and 1000),
  max_in_flight smallint check (max_in_flight between 1 and 64),
  -- All that it gets goes through its queue.
  governed boolean not null
    generated always as (order_by <> 'None' or rate_per_second is not null or max_in_flight is not null) stored,
  next_post_on timestamptz not null default 'epoch', -- when its rate lets the next post go

  staged_secret bytea, -- a new secret that a ping has still to prove, sealed
  staged_on timestamptz,
  staged_overlap_seconds integer, -- for how long the former secret is to sign beside it once it is proved
  staged_event_id uuid references events, -- the ping that proves it; null: none was sent yet
  former_secret bytea, -- the secret before, sealed, which signs beside the one in force until then
  former_until timestamptz,

  state text not null check (state in ('Active', 'Held', 'Paused')),
  exhausted_run integer not null default 0, -- exhausted deliveries since the last one that was delivered
  held_on timestamptz,
  held_reason text,
  probes integer not null default 0, -- since it was held
  next_probe_on timestamptz,
  -- Until then a worker has made sure of its probing workflow; infinity: it needs none.
  probe_lease_until timestamptz not null default 'infinity',
  draining boolean not null default false, -- a Drain is on its way: new events wait behind what was held back
  -- Of a deleted connection: deliveries that it had still to get are not all cancelled yet.
  clearing boolean not null default false,

  created_on timestamptz not null default now(),
  modified_on timestamptz not null default now(),
  -- When what its requests are made of last changed: an earlier attempt was sent otherwise.
  request_changed_on timestamptz not null default now(),
  deleted_on timestamptz -- the activity log goes on naming it, so the row stays
);
create index webhook_connections_tenant on webhook_connections (tenant_id) where deleted_on is null;
create unique index webhook_connections_name_key on webhook_connections (tenant_id, name) where deleted_on is null;
create index webhook_connections_probe on webhook_connections (probe_lease_until) where probe_lease_until < 'infinity';
create index webhook_connections_clearing on webhook_connections (id) where clearing;

-- Triggers, so that they hold whoever changes a connection.

-- Sealing a value anew leaves modified_on alone, and changes no request.
create function note_request_change() returns trigger language plpgsql as $$
begin
  new.request_changed_on = now();
  return new;
end
$$;
create trigger webhook_connection_request_changed before update on webhook_connections
  for each row when (
    old.modified_on is distinct from new.modified_on
      and (old.url, old.secret, old.api_key, old.headers)
        is distinct from (new.url, new.secret, new.api_key, new.headers)
  ) execute function note_request_change();

-- What a connection was subscribed to, and its state, since when: why it did or did not get an event.
create table webhook_connection_changes (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  connection_id uuid not null references webhook_connections,
  entities text[] not null,
  events text[] not null,
  state text not null,
  held_reason text, -- why it is Held
  deleted boolean not null,
  changed_on timestamptz not null default clock_timestamp()
);
create index webhook_connection_changes_connection on webhook_connection_changes (connection_id, id);

create function record_connection_change() returns trigger language plpgsql as $$
begin
  insert into webhook_connection_changes (tenant_id, connection_id, entities, events, state, deleted, held_reason)
  values (new.tenant_id, new.id, new.entities, new.events, new.state, new.deleted_on is not null,
    new.held_reason);
  return null;
end
$$;
create trigger webhook_connection_made after insert on webhook_connections
  for each row execute function record_connection_change();
create trigger webhook_connection_changed after update on webhook_connections
  for each row when (
    (old.entities, old.events, old.state, old.deleted_on)
      is distinct from (new.entities, new.events, new.state, new.deleted_on)
  ) execute function record_connection_change();

-- # Webhooks: deliveries

-- The outbox: a row stands here from the change's own transaction until its workflow is started.
create table dispatches (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  event_id uuid not null references events,
  part smallint not null,
  lease_until timestamptz not null default '-infinity',
  created_on timestamptz not null default now()
) with (fillfactor = 80);
create index dispatches_tenant on dispatches (tenant_id, id);
create index dispatches_event on dispatches (event_id);

create function record_key(event_record text, record_id text) returns uuid language sql immutable strict parallel safe
as $$ select md5(event_record || ' ' || record_id)::uuid $$;

create table deliveries (
  id uuid primary key,
  tenant_id uuid not null,
  event_id uuid not null references events,
  connection_id uuid not null references webhook_connections,
  position bigint not null, -- the event's
  part integer not null, -- which of the event's workflows has it: each has at most 500 deliveries
  record uuid, -- by record_key: a queue is looked through record by record. Null: its event is of several
  state text not null check (state in ('Pending', 'Retrying', 'Delivered', 'Exhausted', 'Held', 'Cancelled')),
  -- What the last attempt came to, in one word: a status, a network failure, or lost. Null: delivered, or none yet.
  reason text,
  attempts smallint not null default 0,
  -- What a redelivery starts from: attempts before it do not count against the most a run may make.
  earlier_attempts smallint not null default 0,
  -- How many attempts there were at each redelivery: what came after belongs to the next run.
  redelivered_after smallint[] not null default '{}',
  redelivery_id uuid, -- the bulk redelivery that sends it, until its outcome is counted there
  -- Set while an attempt is out; found set by the next one, the worker died in between.
  attempt_started_on timestamptz,
  retry_on timestamptz, -- while it is Retrying: no attempt before that time
  -- Set: it waits in the queue of its connection, no post before that time. Null: it is its event's workflow's.
  due_on timestamptz,
  begun_on timestamptz, -- since then a workflow of its own has it, or a connection with max_in_flight counts it
  changed_on timestamptz not null default now()
) with (fillfactor = 80);
create index deliveries_event on deliveries (event_id);
create index deliveries_connection on deliveries (connection_id, position);
create index deliveries_redelivery on deliveries (redelivery_id, state) where redelivery_id is not null;
-- For the reconciler: what has not moved for long. While nothing is open, every index of what is looks as good as the
-- next, and the statistics may be old when a burst comes. So queries name, by what is not null, those that serve no queue.
create index deliveries_open on deliveries (changed_on) where state in ('Pending', 'Retrying') and changed_on is not null;
-- What a connection has held back, and its queue.
create index deliveries_held on deliveries (connection_id, position) where state = 'Held';
create index deliveries_queue_waiting on deliveries (connection_id, position)
  where due_on is not null and begun_on is null and state in ('Pending', 'Retrying');
create index deliveries_queue_record on deliveries (connection_id, record, position)
  where due_on is not null and begun_on is null and state in ('Pending', 'Retrying');
create index deliveries_held_record on deliveries (connection_id, record, position) where state = 'Held';
-- For a bound of what is in flight.
create index deliveries_begun on deliveries (connection_id)
  where begun_on is not null and state in ('Pending', 'Retrying');
-- What is out, or about to be, whatever it came from: of a record one at a time where order is kept.
create index deliveries_under_way on deliveries (connection_id, record)
  where (due_on is null or begun_on is not null) and state in ('Pending', 'Retrying');
-- For metrics, how many deliveries wait, and since when: the ids of events are in the order of their time.
create index deliveries_backlog on deliveries (state, event_id) where state in ('Pending', 'Retrying') and event_id is not null;
-- For Settings: how many came to their state when, what waits, the oldest first, and what fails, the latest first.
create index deliveries_changed on deliveries (tenant_id, changed_on) include (state, connection_id);
create index deliveries_waiting on deliveries (tenant_id, connection_id, event_id)
  where state in ('Pending', 'Retrying', 'Held') and event_id is not null;
create index deliveries_failing on deliveries (connection_id, event_id) where state in ('Retrying', 'Exhausted');
-- For the dead letters.
create index deliveries_dead on deliveries (tenant_id, event_id, connection_id, state, reason)
  where state in ('Exhausted', 'Held');

create table attempts (
  delivery_id uuid not null references deliveries,
  number smallint not null,
  started_on timestamptz not null,
  duration_ms integer not null,
  status_code smallint,
  failure text, -- the network failure in one word; null: the receiver answered
  response_headers text,
  response_body text,
  primary key (delivery_id, number)
);

-- Bulk redeliveries: what is wished, and how far each has come. A workflow does the work.
create table redeliveries (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  connection_id uuid not null references webhook_connections,
  -- Replay: of final deliveries, by a person. Drain: of all that the connection has held back.
  kind text not null check (kind in ('Replay', 'Drain')),
  state text not null default 'Running' check (state in ('Running', 'Paused', 'Completed', 'Cancelled')),
  from_time timestamptz, -- of a Replay, the events' time
  to_time timestamptz,
  delivery_states text[] not null,
  rate smallint not null, -- deliveries a second
  next_on timestamptz not null default 'epoch', -- when the rate lets the next one go
  last_position bigint not null default 0, -- of the event that a Replay has come to
  end_position bigint not null default 0, -- of the last event of its time
  total integer not null,
  done integer not null default 0,
  delivered integer not null default 0,
  exhausted integer not null default 0,
  -- Until then a worker has made sure of its workflow; a new wish sets it back. Infinity: it needs none.
  lease_until timestamptz not null default '-infinity',
  created_on timestamptz not null default now(),
  ended_on timestamptz
);
create index redeliveries_tenant on redeliveries (tenant_id, id);
-- Two at a time would mix what each sends in order.
create unique index redeliveries_open on redeliveries (connection_id, kind) where state in ('Running', 'Paused');
create index redeliveries_lease on redeliveries (lease_until) where lease_until < 'infinity';

-- The installation's: why a worker cannot begin deliveries, which /readyz of every process tells. A row is good for a
-- minute.
create table delivery_troubles (
  worker_id uuid primary key,
  reason text not null,
  noticed_on timestamptz not null default now()
);

-- # Audit

-- What was done to sign-ins, credentials and settings: by whom, and from where. Its rows outlive what they tell of, so
-- they point at nothing but their tenant.
create table audit_log (
  tenant_id uuid not null references tenants,
  id uuid not null,
  occurred_on timestamptz not null default clock_timestamp(),
  kind text not null,
  outcome text not null check (outcome in ('Success', 'Failure')),
  actor_type text, -- User or Application; null: nobody who has proved who they are
  actor_id bigint,
  client_id bigint, -- the application it was done by or for
  address text not null,
  user_agent text not null,
  subject_type text, -- what it was done to, as the API names it
  subject_id text,
  details jsonb not null, -- never a secret or a personal value
  request_key text not null,
  primary key (tenant_id, id)
);
create index audit_log_kind on audit_log (tenant_id, kind, occurred_on);
create index audit_log_actor on audit_log (tenant_id, actor_type, actor_id, id);
create index audit_log_subject on audit_log (tenant_id, subject_type, subject_id, id);
create index audit_log_failure on audit_log (tenant_id, id) where outcome = 'Failure';
create index audit_log_request on audit_log (tenant_id, request_key, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only: % is refused', tg_op using errcode = 'insufficient_privilege';
end
$$;

-- Always, so that a replica's session cannot pass it by either.
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
alter table audit_log enable always trigger audit_log_append_only;

-- # The last requests

-- What somebody should look at: noticed by a worker, told in Settings until it is over or somebody has seen to it.
create table alerts (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  kind text not null check (kind in ('ConnectionHeld', 'ErrorRate', 'Backlog', 'FailedSignIns')),
  connection_id uuid references webhook_connections, -- null: it is of no connection
  reason text not null, -- for people, as it was when it was raised
  raised_on timestamptz not null default now(),
  ended_on timestamptz,
  acknowledged_on timestamptz,
  acknowledged_by_type text,
  acknowledged_by_id bigint,
  acknowledged_until timestamptz, -- null: until it ends
  sequence bigint not null default 1 -- how many changes of it were told of: the webhook-sequence of its events
);
create index alerts_tenant on alerts (tenant_id, id);
-- Of each kind one at a time; the tenant stands for what is of no connection.
create unique index alerts_open on alerts (tenant_id, kind, coalesce(connection_id, tenant_id)) where ended_on is null;

-- The installation's: how each worker's windows stand (docs/windows.md), for people to look at. A row is good for some
-- seconds, and nothing is decided by it, so it need not outlive a crash.
create unlogged table worker_windows (
  worker_id uuid primary key,
  windows jsonb not null, -- by connection
  seen_on timestamptz not null default now()
);

-- What clients have asked for lately, for who has a RequestKey and wants to know what it was. Nothing of a request's body,
-- query or path values stands here. Maintenance removes what is older than a day, and what is beyond a tenant's share.
create table requests (
  tenant_id uuid not null references tenants,
  id uuid not null, -- a UUIDv7 of the time when it came
  request_key text not null,
  -- W3C Trace Context of its own span, by which the events that it made are known; null: it makes none.
  trace_parent text,
  method text not null,
  route text not null, -- as the code writes it
  status smallint not null,
  duration_ms real not null,
  client_id bigint not null,
  -- Requests of the tenant before this one that were not written, for there were too many.
  omitted integer not null,
  primary key (tenant_id, id)
);
create index requests_key on requests (tenant_id, request_key);
create index requests_trace on requests (tenant_id, trace_parent) where trace_parent is not null;
create index requests_failed on requests (tenant_id, id) where status >= 400;

-- Authorization requests that clients have sent beforehand (RFC 9126).
create table pushed_requests (
  digest bytea primary key, -- of what its request_uri ends with
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  parameters text not null, -- in the form encoding, without what the client proves itself by
  expires_on timestamptz not null, -- by then the browser has to come with it; an answer may take longer
  used_on timestamptz, -- it was answered
  created_on timestamptz not null default now()
);
create index pushed_requests_client on pushed_requests (client_id, expires_on);
create index pushed_requests_expiry on pushed_requests (expires_on);

-- JWTs of clients that are good once: what was used stays until it has expired.
create table used_jwts (
  tenant_id uuid not null references tenants,
  digest bytea not null, -- of its kind, its client and its jti
  client_id bigint references credentials on delete cascade,
  expires_on timestamptz not null,
  primary key (tenant_id, digest)
);
create index used_jwts_expiry on used_jwts (expires_on);
create index used_jwts_client on used_jwts (client_id, expires_on);

-- DPoP proofs that were used, until their nonces have expired. What a crash of PostgreSQL loses of them has to be used
-- again within minutes to do harm, by who has the token too.
create unlogged table used_dpop_proofs (
  tenant_id uuid not null,
  digest bytea not null, -- of the key's thumbprint and the jti
  expires_on timestamptz not null,
  primary key (tenant_id, digest)
);
create index used_dpop_proofs_expiry on used_dpop_proofs (expires_on);

-- Audiences that APIs have given up. Tokens for one may be alive: until none is, no other tenant's API gets it.
create table resting_audiences (
  audience text primary key,
  tenant_id uuid not null references tenants, -- whose it was, and who may take it again at any time
  rests_until timestamptz not null
);
create index resting_audiences_end on resting_audiences (rests_until);

-- The origins that a client's redirect URIs are of (RFC 6454 6.2). They are stored in lower case up to there, without a
-- default port. A native app listens on any port of a loopback address (RFC 8252 7.3): `*` stands for all.
create function redirect_origins(uris text[], client_type text) returns text[]
language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct case when client_type = 'native'
    then regexp_replace(origin, '^(http://(127\.0\.0\.1|\[::1\]|localhost))(:[0-9]+)?$', '\1:*') else origin end), '{}')
  from (select substring(uri from '^[a-z][a-z0-9.+-]*://[^/?#]+') as origin from unnest(uris) uri) found
$$;
-- A browser's preflight names no client: one of any tenant is looked for.
create index credentials_origins on credentials using gin (redirect_origins(redirect_uris, client_type));

-- Requests of devices without a browser (RFC 8628), until they are answered and their tokens fetched.
create table device_codes (
  digest bytea primary key, -- of the device_code
  user_code text not null, -- what a person types: 8 letters
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  scopes text[] not null,
  resources text[] not null, -- as in refresh_families
  interval_seconds integer not null,
  polled_on timestamptz,
  expires_on timestamptz not null,
  -- The user's answer, and how they had signed in.
  decided_on timestamptz,
  user_id integer references users on delete cascade, -- null though decided: denied
  auth_time timestamptz,
  amr text[],
  acr text,
  used_on timestamptz,
  family_id uuid, -- the tokens that came of it, revoked if it is presented again
  constraint device_codes_user_code_key unique (user_code)
);
create index device_codes_tenant on device_codes (tenant_id, client_id) where decided_on is null;
create index device_codes_user on device_codes (user_id);
create index device_codes_expiry on device_codes (expires_on);

-- # Dynamic client registration (RFC 7591, RFC 7592)

-- Initial access tokens: who has one may register clients.
create table registration_tokens (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  digest bytea not null unique,
  uses_left integer not null check (uses_left >= 0),
  expires_on timestamptz(3) not null,
  created_on timestamptz(3) not null default now()
);
create index registration_tokens_tenant on registration_tokens (tenant_id, id);
create index registration_tokens_expiry on registration_tokens (expires_on);

-- Clients that have registered themselves, and may change themselves.
create table registered_clients (
  application_id bigint primary key references credentials on delete cascade,
  tenant_id uuid not null references tenants,
  digest bytea not null, -- of its registration access token
  is_open boolean not null, -- it came without an initial access token
  address text, -- it came from
  registered_on timestamptz(3) not null default now()
);
create index registered_clients_tenant on registered_clients (tenant_id, registered_on);
create index registered_clients_open on registered_clients (registered_on) where is_open;

-- # Logouts

-- Clients are told when a session ends (OpenID Connect Back-Channel Logout 1.0).

-- Whom the end of a session is told to: the clients that its user has signed in to by it.
create table session_clients (
  session_id uuid not null references sessions on delete cascade,
  client_id bigint not null references credentials on delete cascade,
  -- As the client knows the session: that of an earlier one, if its user has signed in anew in the same browser since.
  sid uuid not null,
  tenant_id uuid not null references tenants,
  primary key (session_id, client_id, sid)
);
create index session_clients_client on session_clients (client_id);

-- One client that is told of the end of one session.
create table logouts (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  user_id integer not null, -- no reference: a user's deletion ends sessions too
  sid uuid not null,
  state text not null default 'Pending' check (state in ('Pending', 'Retrying', 'Delivered', 'Exhausted', 'Cancelled')),
  reason text, -- why it was not delivered: host, status and one word
  attempts smallint not null default 0,
  earlier_attempts smallint not null default 0, -- of the runs before the last redelivery
  run smallint not null default 1, -- each redelivery is another one, with a workflow of its own
  retry_on timestamptz, -- no attempt before that time
  lease_until timestamptz not null default '-infinity', -- until then its workflow need not be looked for
  created_on timestamptz(3) not null default now(),
  ended_on timestamptz(3)
) with (fillfactor = 80);
create index logouts_client on logouts (client_id, created_on, id);
create index logouts_open on logouts (lease_until) where state in ('Pending', 'Retrying');
create index logouts_ended on logouts (ended_on);
-- Those that wait for their turn.
create index logouts_waiting on logouts (tenant_id, client_id, created_on)
  where lease_until = '-infinity' and state in ('Pending', 'Retrying');

create table logout_attempts (
  logout_id uuid not null references logouts on delete cascade,
  number smallint not null,
  started_on timestamptz not null,
  duration_ms integer, -- null: it is out, or was lost with its worker
  status_code smallint,
  failure text, -- the network failure in one word; null: the receiver answered
  response_headers text,
  response_body text,
  primary key (logout_id, number)
);

-- Sessions are deleted in many places, and with their users and identity providers; this one sees all of them. One that
-- has expired has ended long before its row goes.
create function log_clients_out() returns trigger language plpgsql as $$
begin
  if old.expires_on > now() then
    -- Locked, for a client that is being deleted meanwhile could not be referred to.
    insert into logouts (id, tenant_id, client_id, user_id, sid)
    select gen_random_uuid(), old.tenant_id, c.client_id, old.user_id, c.sid
    from session_clients c join credentials k on k.application_id = c.client_id
    where c.session_id = old.id and k.backchannel_logout_uri is not null
    for key share of k;
    if found then perform pg_notify('gatehouse_logout', ''); end if;
  end if;
  return old;
end
$$;
create trigger sessions_log_clients_out before delete on sessions for each row execute function log_clients_out();
