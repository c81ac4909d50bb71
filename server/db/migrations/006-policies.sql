create table policies (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  description text not null default '',
  -- Cedar
  policy text not null,
  created_on timestamptz not null default now(),
  created_by_type text,
  created_by_id bigint,
  modified_on timestamptz not null default now(),
  modified_by_type text,
  modified_by_id bigint,
  constraint policies_name_key unique (tenant_id, name)
);

create table roles (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  description text not null default '',
  scopes text[] not null default '{}',
  created_on timestamptz not null default now(),
  created_by_type text,
  created_by_id bigint,
  modified_on timestamptz not null default now(),
  modified_by_type text,
  modified_by_id bigint,
  constraint roles_name_key unique (tenant_id, name)
);

create table role_members (
  tenant_id uuid not null references tenants,
  role_id uuid not null references roles on delete cascade,
  user_id integer references users on delete cascade,
  application_id bigint references applications on delete cascade,
  check (num_nonnulls(user_id, application_id) = 1),
  unique (role_id, user_id),
  unique (role_id, application_id)
);
create index role_members_user on role_members (user_id) where user_id is not null;
create index role_members_application on role_members (application_id) where application_id is not null;

-- Every process keeps policies and principals in memory and forgets them when it hears of a change, whoever made it.
create function announce_access_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('gatehouse_access', tg_argv[0] || ' ' || coalesce(new.tenant_id, old.tenant_id));
  return null;
end
$$;

create function announce_client_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or exists (select from credentials where application_id = old.id) then
    perform pg_notify('gatehouse_access', 'principals ' || old.tenant_id);
  end if;
  return null;
end
$$;

create trigger policies_announce after insert or update or delete on policies
  for each row execute function announce_access_change('policies');
create trigger roles_announce after update or delete on roles
  for each row execute function announce_access_change('principals');
create trigger role_members_announce after insert or update or delete on role_members
  for each row execute function announce_access_change('principals');
create trigger users_announce after update or delete on users
  for each row execute function announce_access_change('principals');
create trigger departments_announce after update or delete on departments
  for each row execute function announce_access_change('principals');
create trigger applications_announce after update or delete on applications
  for each row execute function announce_client_change();

-- Tenants from before policies keep what they could do: their clients and their admin are administrators.
insert into policies (id, tenant_id, name, description, policy)
select gen_random_uuid(), id, 'Administrators', 'Members of the role admin may do everything.',
  E'permit (\n  principal in Role::"admin",\n  action,\n  resource\n);\n'
from tenants;

insert into roles (id, tenant_id, name, description, scopes)
select gen_random_uuid(), id, 'admin', 'May do everything.',
  '{AccessManager:Read,AccessManager:Create,AccessManager:Update,AccessManager:Delete,Settings:Read,Settings:Update,Webhooks:Read,Webhooks:Create,Webhooks:Update,Webhooks:Delete}'
from tenants;

insert into role_members (tenant_id, role_id, application_id)
select a.tenant_id, r.id, a.id
from applications a join credentials c on c.application_id = a.id join roles r on r.tenant_id = a.tenant_id;

insert into role_members (tenant_id, role_id, user_id)
select u.tenant_id, r.id, u.id from users u join roles r on r.tenant_id = u.tenant_id where u.username = 'admin';
