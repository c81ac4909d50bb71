-- The face of a tenant's pages and mails. Images are PNGs as `data:` addresses. null: the installation's.
alter table tenants
  add column welcome text,
  add column logo text,
  add column dark_logo text,
  add column favicon text,
  add column accent text,
  add column dark_accent text,
  add column background text,
  add column dark_background text,
  add column help_uri text;

create table branding_versions (
  tenant_id uuid not null references tenants,
  number integer not null,
  branding jsonb not null, -- by the names of the API
  changed text[] not null,
  saved_on timestamptz not null default now(),
  saved_by_type text,
  saved_by_id bigint,
  primary key (tenant_id, number)
);
