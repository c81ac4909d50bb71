-- The last check of each connection's receiver. A workflow does its steps.
create table receiver_checks (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  connection_id uuid not null unique references webhook_connections,
  sample json not null, -- the kind of change and the sample record that its calls have
  results jsonb not null default '{}', -- by step
  started_on timestamptz not null default now(),
  ended_on timestamptz, -- null: it is running
  lease_until timestamptz not null default '-infinity' -- a worker checks its workflow again after this time
);
create index receiver_checks_lease on receiver_checks (lease_until) where lease_until < 'infinity';
create index receiver_checks_tenant on receiver_checks (tenant_id);
