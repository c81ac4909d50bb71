create table groups (
  id bigint generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  external_id text,
  description text,
  sequence bigint not null default 1,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
  search_text text not null generated always as (
    search_form(coalesce(name, '') || E'\n' || coalesce(external_id, ''))) stored,
  constraint groups_name_key unique (tenant_id, name),
  constraint groups_external_id_key unique (tenant_id, external_id)
);
create index groups_tenant on groups (tenant_id, id);

create table group_members (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants,
  group_id bigint not null references groups on delete cascade,
  user_id integer references users on delete cascade,
  member_group_id bigint references groups on delete cascade,
  check (num_nonnulls(user_id, member_group_id) = 1),
  unique (group_id, user_id),
  unique (group_id, member_group_id)
);
create index group_members_user on group_members (user_id) where user_id is not null;
create index group_members_group on group_members (member_group_id) where member_group_id is not null;
create trigger group_members_announce after insert or update or delete on group_members
  for each row execute function announce('roles');

alter table role_members
  add column group_id bigint references groups on delete cascade,
  drop constraint role_members_check,
  add check (num_nonnulls(user_id, application_id, group_id) = 1),
  add unique (role_id, group_id);
create index role_members_group on role_members (group_id) where group_id is not null;

-- A group and all groups that contain it, with the length of the way to each. `union` ends it even in a circle.
create function groups_above(start bigint) returns table (id bigint, level integer) language sql stable as $$
  with recursive above (id, level) as (
    select start, 0
    union
    select m.group_id, a.level + 1 from above a join group_members m on m.member_group_id = a.id where a.level < 6
  ) select * from above
$$;

-- A group and all groups in it, each with the group that contains it.
create function groups_below(start bigint) returns table (id bigint, level integer, within bigint)
language sql stable as $$
  with recursive below (id, level, within) as (
    select start, 0, null::bigint
    union
    select m.member_group_id, b.level + 1, b.id from below b join group_members m on m.group_id = b.id
    where m.member_group_id is not null and b.level < 6
  ) select * from below
$$;

-- The groups that list a user, and those that contain them.
create function groups_of(person integer) returns setof bigint language sql stable as $$
  with recursive held (id) as (
    select group_id from group_members where user_id = person
    union
    select m.group_id from held h join group_members m on m.member_group_id = h.id
  ) select id from held
$$;
