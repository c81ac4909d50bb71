-- Whether each user needs two factors to sign in.
alter table tenants
  add column second_factor text not null default 'Optional' check (second_factor in ('Optional', 'Required'));

-- Authenticator apps (RFC 6238).
create table totp_secrets (
  user_id integer primary key references users on delete cascade,
  tenant_id uuid not null references tenants,
  -- Base32, sealed by the master key
  secret bytea not null,
  created_on timestamptz not null default now(),
  -- the step of the last code that was taken: each is good once (RFC 6238 5.2)
  last_step bigint not null
);

create table recovery_codes (
  tenant_id uuid not null references tenants,
  user_id integer not null references totp_secrets on delete cascade,
  -- a MAC by the master key: the codes are short enough to type, so too short for a plain hash
  digest bytea not null,
  primary key (user_id, digest)
);

-- One-time links by which a user sets a password; a new one takes the former's place.
create table password_resets (
  user_id integer primary key references users on delete cascade,
  tenant_id uuid not null references tenants,
  -- SHA-256 of the link's token
  digest bytea not null constraint password_resets_digest_key unique,
  expires_on timestamptz not null
);
create index password_resets_expiry on password_resets (expires_on);
