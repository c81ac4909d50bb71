create table departments (
  id bigint generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  external_id text,
  description text,
  is_active boolean not null default false,
  parent_id bigint references departments,
  created_on timestamptz(3) not null default now(),
  created_by_type text,
  created_by_id bigint,
  modified_on timestamptz(3),
  modified_by_type text,
  modified_by_id bigint,
  constraint departments_name_key unique (tenant_id, name),
  constraint departments_external_id_key unique (tenant_id, external_id)
);
create index departments_parent on departments (parent_id);

alter table users add column department_id bigint references departments;
create index users_department on users (department_id);

-- A date is found again by the milliseconds it is read with.
alter table users
  alter column created_on type timestamptz(3),
  alter column modified_on type timestamptz(3),
  alter column last_login type timestamptz(3);
alter table applications
  alter column created_on type timestamptz(3),
  alter column modified_on type timestamptz(3);

-- Lists go by Id within the tenant.
create index users_tenant on users (tenant_id, id);
create index applications_tenant on applications (tenant_id, id);
create index departments_tenant on departments (tenant_id, id);

-- An actor that has been deleted keeps its Id and Type in what it changed.
create or replace function actor_reference(actor_type text, actor_id bigint) returns json language sql stable as $$
  select case actor_type
    when 'User' then (
      select json_build_object('Id', actor_id, 'ExternalId', coalesce(u.external_id, ''), 'Name', coalesce(u.name, ''),
        'Type', 'User')
      from (select) as one left join users u on u.id = actor_id)
    when 'Application' then (
      select json_build_object('Id', actor_id, 'ExternalId', coalesce(a.external_id, ''), 'Name', coalesce(a.name, ''),
        'Type', 'Application')
      from (select) as one left join applications a on a.id = actor_id)
  end
$$;
