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
