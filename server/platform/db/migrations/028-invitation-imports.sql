-- Invitations of many people by a CSV file. A worker makes them; rows leave when they are made.
create table invitation_imports (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  state text not null default 'Running' check (state in ('Running', 'Paused', 'Completed', 'Cancelled')),
  total integer not null,
  done integer not null default 0, -- invited and skipped
  invited integer not null default 0,
  client_id bigint not null, -- judged, with the creator, when an invitation is accepted
  created_by_type text not null, created_by_id bigint not null,
  created_on timestamptz(3) not null default now(),
  ended_on timestamptz(3),
  lease_until timestamptz not null default '-infinity' -- the workflow need not be checked before then
);
create index invitation_imports_tenant on invitation_imports (tenant_id, id);
create index invitation_imports_due on invitation_imports (lease_until) where state = 'Running';

create table invitation_import_rows (
  import_id uuid not null references invitation_imports on delete cascade,
  number integer not null, -- of the line in the file
  email text not null,
  name text not null,
  roles text[] not null,
  department_id bigint,
  reason text, -- why it was skipped; null: it waits
  primary key (import_id, number)
);
