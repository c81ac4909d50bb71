-- How a client proves who it is, and the public keys that it does so by (RFC 7523).

alter table credentials
  -- Null: by a secret in either way, or without one, as its client_type has it.
  add column token_endpoint_auth_method text check (
    token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none')),
  add column jwks jsonb, -- RFC 7517 5; public keys alone
  add column jwks_uri text not null default '';

-- JWTs of clients that are good once: what was used stays until it has expired.
create table used_jwts (
  tenant_id uuid not null references tenants,
  digest bytea not null, -- of its kind, its client and its jti
  expires_on timestamptz not null,
  primary key (tenant_id, digest)
);
create index used_jwts_expiry on used_jwts (expires_on);
