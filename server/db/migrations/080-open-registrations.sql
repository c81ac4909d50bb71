-- Registrations of clients without an initial access token, of the last hour: a client that has deleted itself counts too.
create table open_registrations (
  tenant_id uuid not null references tenants,
  network text not null, -- it came from
  made_on timestamptz(3) not null default now()
);
create index open_registrations_tenant on open_registrations (tenant_id, made_on);
alter table registered_clients drop column address;
-- How often a client has changed itself in the hour that begins then.
alter table registered_clients add column changes integer not null default 0;
alter table registered_clients add column counted_from timestamptz(3) not null default now();
