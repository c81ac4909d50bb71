-- Outcomes of deliveries by the hour, counted once after its end: a page does not count the deliveries of a day again.

create table outcome_hours (
  tenant_id uuid not null references tenants,
  hour timestamptz not null, -- its start, in UTC
  connection_id uuid not null,
  state text not null check (state in ('Delivered', 'Exhausted', 'Cancelled')),
  count bigint not null,
  primary key (tenant_id, connection_id, hour, state)
);

-- The hours that are counted, without gaps. A tenant with few deliveries has none.
create table counted_outcomes (
  tenant_id uuid primary key references tenants,
  counted_from timestamptz not null,
  counted_until timestamptz not null
);
