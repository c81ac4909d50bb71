-- # Dynamic client registration (RFC 7591, RFC 7592)

alter table tenants
  add column client_registration text not null default 'Off'
    check (client_registration in ('Off', 'InitialAccessToken', 'Open')),
  add column registration_scopes text[] not null default '{openid,profile,name,email}';

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
