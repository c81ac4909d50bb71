-- Requests with an Idempotency-Key. A row is kept for a day.

create table idempotency_keys (
  tenant_id uuid not null references tenants,
  caller text not null, -- the client, and the user if there is one
  digest bytea not null, -- of the key
  fingerprint bytea not null, -- of the request
  started_on timestamptz not null default now(),
  lease_until timestamptz not null, -- the request is in progress until then
  done_on timestamptz, -- set in the transaction of the change
  record_ids jsonb, -- of the changed records, for a lost answer
  answer bytea, -- sealed, with the decisions of policies that it depends on; null: none yet, or it is lost
  primary key (tenant_id, caller, digest)
);
create index idempotency_keys_started on idempotency_keys (started_on);
