alter table identity_providers
  -- null: as the provider's metadata says
  add column token_endpoint_auth_method text
    check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post')),
  -- whom the provider may make a user of; empty: no rule
  add column allowed_domains text[] not null default '{}',
  add column allowed_tenants text[] not null default '{}',
  add column require_verified_email boolean not null default false;
