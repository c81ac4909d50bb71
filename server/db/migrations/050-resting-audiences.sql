-- Audiences that APIs have given up. Tokens for one may be alive: until none is, no other tenant's API gets it.
create table resting_audiences (
  audience text primary key,
  tenant_id uuid not null references tenants, -- whose it was, and who may take it again at any time
  rests_until timestamptz not null
);
create index resting_audiences_end on resting_audiences (rests_until);

-- A client's own JWTs are counted.
alter table used_jwts add column client_id bigint references credentials on delete cascade;
create index used_jwts_client on used_jwts (client_id, expires_on);
