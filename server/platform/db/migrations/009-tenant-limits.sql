-- Limits of a tenant over all processes (server/limits). null: the installation's.
alter table tenants
  add column max_records integer,
  add column max_connections integer,
  add column max_events_per_day integer,
  add column max_requests_per_second integer,
  add column max_storage_megabytes integer;

-- Counts of each API process. A process writes only its own rows, so none is hot.
create table tenant_usage (
  tenant_id uuid not null references tenants,
  process_id uuid not null,
  day date not null, -- in UTC
  events bigint not null, -- of the day
  requests real not null, -- admitted per second
  peak real not null, -- the highest rate of all processes that it has seen within 10 minutes
  reported_on timestamptz not null default now(),
  primary key (tenant_id, process_id)
) with (fillfactor = 50);

-- By maintenance, and by processes that counted a tenant near its limit.
create table tenant_counts (
  tenant_id uuid primary key references tenants,
  records bigint not null default 0,
  bytes bigint not null default 0, -- of kept_days
  measured_on timestamptz not null default now()
);

alter table alerts drop constraint alerts_kind_check;
alter table alerts add constraint alerts_kind_check
  check (kind in ('ConnectionHeld', 'ErrorRate', 'Backlog', 'FailedSignIns', 'FailedLogouts', 'NearLimit'));
