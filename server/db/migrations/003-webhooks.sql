create table webhook_connections (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text,
  url text not null,
  entities text[] not null,
  events text[] not null,
  -- sealed by the master key; null: the calls are not signed
  secret bytea,
  api_key bytea not null,
  state text not null default 'Active' check (state in ('Active', 'Held', 'Paused')),
  created_on timestamptz not null default now(),
  modified_on timestamptz not null default now(),
  deleted_on timestamptz
);
create index webhook_connections_tenant on webhook_connections (tenant_id) where deleted_on is null;
create unique index webhook_connections_name_key on webhook_connections (tenant_id, name) where deleted_on is null;

create table events (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  event_record text not null,
  event_type text not null check (event_type in ('Created', 'Updated', 'Deleted')),
  record_id text not null,
  -- the exact text that is signed and posted, so that every attempt sends the same bytes
  payload text not null,
  occurred_on timestamptz not null
);
create index events_tenant on events (tenant_id, id);

create table deliveries (
  id uuid primary key,
  tenant_id uuid not null,
  event_id uuid not null references events,
  connection_id uuid not null references webhook_connections,
  -- deliveries of one event are split over workflows of at most 500
  part smallint not null,
  state text not null check (state in ('Pending', 'Retrying', 'Delivered', 'Exhausted', 'Held', 'Cancelled')),
  attempts smallint not null default 0,
  -- set while an attempt is out; found set by the next one, the worker died in between
  attempt_started_on timestamptz,
  changed_on timestamptz not null default now()
) with (fillfactor = 80);
create index deliveries_event on deliveries (event_id);
create index deliveries_connection on deliveries (connection_id, event_id);
create index deliveries_open on deliveries (changed_on) where state in ('Pending', 'Retrying');

create table attempts (
  delivery_id uuid not null references deliveries,
  number smallint not null,
  started_on timestamptz not null,
  duration_ms integer not null,
  status_code smallint,
  -- the network failure in one word, or null when the receiver answered
  failure text,
  response_headers text,
  response_body text,
  primary key (delivery_id, number)
);

-- The outbox: a row stands here from the change's own transaction until its workflow is started.
create table dispatches (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  event_id uuid not null references events,
  part smallint not null,
  -- null: the first run, all pending deliveries of the part; else a new run for these alone
  delivery_ids uuid[],
  lease_until timestamptz not null default '-infinity'
) with (fillfactor = 80);
create index dispatches_tenant on dispatches (tenant_id, id);
create index dispatches_event on dispatches (event_id);
