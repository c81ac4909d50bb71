-- The Application by which a tenant's people sign in to Settings is made with the tenant, and stays.
alter table tenants drop constraint tenants_settings_client_id_fkey;

with made as (
  insert into applications (tenant_id, name, description, is_system, is_active)
  select id, 'Gatehouse Settings ' || id, 'The Settings pages of Gatehouse, as an application that people sign in to.',
    true, true
  from tenants where settings_client_id is null
  returning id, tenant_id
)
update tenants t set settings_client_id = made.id from made where made.tenant_id = t.id;
insert into credentials (application_id, grant_types, first_party)
select settings_client_id, '{authorization_code}', true from tenants on conflict do nothing;

alter table tenants add constraint tenants_settings_client_id_fkey
  foreign key (settings_client_id) references applications;
