alter table deliveries
  -- how many attempts there were at each redelivery: what came after belongs to the next run
  add column redelivered_after smallint[] not null default '{}',
  -- the bulk redelivery that sends it, until its outcome is counted there
  add column redelivery_id uuid;
create index deliveries_redelivery on deliveries (redelivery_id, state) where redelivery_id is not null;

-- Bulk redeliveries: what is wished, and how far each has come. A workflow does the work.
create table redeliveries (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  connection_id uuid not null references webhook_connections,
  -- Replay: of final deliveries, by a person. Drain: of all that the connection has held back.
  kind text not null check (kind in ('Replay', 'Drain')),
  state text not null default 'Running' check (state in ('Running', 'Paused', 'Completed', 'Cancelled')),
  -- of a Replay, the events' time
  from_time timestamptz,
  to_time timestamptz,
  delivery_states text[] not null,
  -- deliveries a second
  rate smallint not null,
  -- the event that a Replay has come to
  last_event_id uuid not null default '00000000-0000-0000-0000-000000000000',
  total integer not null,
  done integer not null default 0,
  delivered integer not null default 0,
  exhausted integer not null default 0,
  created_on timestamptz not null default now(),
  ended_on timestamptz,
  -- until then a worker has made sure of its workflow; a new wish sets it back, infinity: it needs none
  lease_until timestamptz not null default '-infinity'
);
create index redeliveries_tenant on redeliveries (tenant_id, id);
-- Two at a time would mix what each sends in order.
create unique index redeliveries_open on redeliveries (connection_id, kind) where state in ('Running', 'Paused');
create index redeliveries_lease on redeliveries (lease_until) where lease_until < 'infinity';

alter table webhook_connections
  -- a Drain is on its way: new events wait behind what was held back
  add column draining boolean not null default false,
  -- exhausted deliveries since the last one that was delivered
  add column exhausted_run integer not null default 0,
  add column held_on timestamptz,
  add column held_reason text,
  -- since it was held
  add column probes integer not null default 0,
  add column next_probe_on timestamptz,
  -- until then a worker has made sure of its probing workflow; infinity: it needs none
  add column probe_lease_until timestamptz not null default 'infinity';
create index webhook_connections_probe on webhook_connections (probe_lease_until) where probe_lease_until < 'infinity';
update webhook_connections
  set held_on = modified_on, held_reason = '410 Gone', next_probe_on = now(), probe_lease_until = '-infinity'
  where state = 'Held' and deleted_on is null;
