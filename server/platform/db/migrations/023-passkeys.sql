-- Passkeys (WebAuthn Level 3): public keys by which users sign in.

-- The `user.id` that authenticators store. Random for each user of each tenant: all tenants share one host, and an equal
-- id would replace another tenant's passkey in the authenticator.
create table passkey_handles (
  user_id integer primary key references users on delete cascade,
  tenant_id uuid not null references tenants,
  handle bytea not null
);

create table passkeys (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  credential_id bytea not null constraint passkeys_credential_key unique, -- of all tenants, which share one host
  public_key bytea not null, -- COSE
  sign_count bigint not null, -- 0: the authenticator does not count
  transports text[] not null,
  aaguid uuid not null, -- the authenticator's model; zeros: not told
  is_synced boolean not null, -- the authenticator has a copy elsewhere
  name text not null,
  rp_id text not null, -- the host for which it was made
  created_on timestamptz not null default now(),
  last_used_on timestamptz
);
create index passkeys_user on passkeys (user_id);

-- Challenges of accepted passkeys, so each is accepted once.
create table used_challenges (
  digest bytea primary key,
  expires_on timestamptz not null
);
create index used_challenges_expiry on used_challenges (expires_on);

create or replace function can_sign_in(id integer) returns boolean language sql stable as $$
  select exists (select from passwords where user_id = id)
    or exists (select from totp_secrets where user_id = id)
    or exists (select from passkeys where user_id = can_sign_in.id)
    or exists (select from upstream_identities where user_id = id)
    or exists (select from password_resets where user_id = id and expires_on > now())
$$;
create trigger passkeys_username_own before insert on passkeys
  for each row execute function own_username_of_way_in();
