-- Erasures of persons, and an event kind for receivers that want to hear of them.

alter table events drop constraint if exists events_event_type_check,
  drop constraint if exists events_event_type_check1;
alter table events add constraint events_event_type_check
  check (event_type in ('Created', 'Updated', 'Deleted', 'Erased', 'Ping'));

-- A row certifies the removal of a person's data. It has no personal data but the former Id of the User.
create table erasures (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  user_id integer not null,
  -- Whether deliveries about the person that are still on their way are sent or cancelled.
  deliveries text not null check (deliveries in ('Send', 'Cancel')),
  state text not null default 'Running' check (state in ('Running', 'Completed')),
  removed jsonb not null default '{}', -- counts by kind
  is_searched boolean not null default false, -- all its events are in erasure_events
  written_by xid8 not null default pg_current_xact_id(), -- older transactions may still write about the person
  lease_until timestamptz not null default '-infinity', -- until then a worker has made sure of its workflow
  created_on timestamptz not null default now(), created_by_type text not null, created_by_id bigint not null,
  ended_on timestamptz
);
create index erasures_tenant on erasures (tenant_id, id);
create unique index erasures_running on erasures (tenant_id, user_id) where state = 'Running';
create index erasures_lease on erasures (lease_until) where state = 'Running';

-- Events with data about the person, found once; the rows go with the end of the erasure.
create table erasure_events (
  erasure_id uuid not null references erasures,
  event_id uuid not null,
  primary key (erasure_id, event_id)
);

-- The role admin of a tenant has every scope that was not removed from it.
update roles set scopes = scopes || array['AccessManager:Erase']
where name = 'admin' and scopes @> array['AccessManager:Delete', 'Settings:Update', 'Webhooks:Delete'];
