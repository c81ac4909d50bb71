-- RFC 9449: keys that clients prove to have, by their RFC 7638 thumbprints.
alter table credentials add column dpop_bound boolean not null default false;
alter table authorization_codes add column dpop_jkt text; -- null: any key, or none, may redeem it
alter table refresh_families add column jkt text; -- null: its client proves itself otherwise

-- DPoP proofs that were used, until their nonces have expired. What a crash of PostgreSQL loses of them has to be used
-- again within minutes to do harm, by who has the token too.
create unlogged table used_dpop_proofs (
  tenant_id uuid not null,
  digest bytea not null, -- of the key's thumbprint and the jti
  expires_on timestamptz not null,
  primary key (tenant_id, digest)
);
create index used_dpop_proofs_expiry on used_dpop_proofs (expires_on);
