-- What somebody should look at: noticed by a worker, told in Settings until it is over or somebody has seen to it.
create table alerts (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  kind text not null check (kind in ('ConnectionHeld', 'ErrorRate', 'Backlog', 'FailedSignIns')),
  connection_id uuid references webhook_connections, -- null: it is of no connection
  reason text not null, -- for people, as it was when it was raised
  raised_on timestamptz not null default now(),
  ended_on timestamptz,
  acknowledged_on timestamptz,
  acknowledged_by_type text,
  acknowledged_by_id bigint,
  acknowledged_until timestamptz -- null: until it ends
);
create index alerts_tenant on alerts (tenant_id, id);
-- Of each kind one at a time; the tenant stands for what is of no connection.
create unique index alerts_open on alerts (tenant_id, kind, coalesce(connection_id, tenant_id)) where ended_on is null;
