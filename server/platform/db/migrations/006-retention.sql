-- Measurements by maintenance of all that is kept of a tenant: counting takes too long for a page.

-- By the day of the rows' events, or of audit entries, in UTC.
create table kept_days (
  tenant_id uuid not null,
  name text not null, -- the table
  day date not null,
  rows bigint not null,
  bytes bigint not null, -- of the rows alone
  primary key (tenant_id, name, day)
);
create index kept_days_name on kept_days (name, day);

-- The last measurement of each of the last 30 days.
create table kept_totals (
  tenant_id uuid not null references tenants,
  name text not null, -- the table, or temporal
  day date not null, -- of the measurement, in UTC
  bytes bigint not null, -- of the tenant's rows alone
  bytes_on_disk bigint not null, -- of the whole table with its indexes
  measured_on timestamptz not null,
  primary key (tenant_id, name, day)
);

-- A partition is measured again after its rows have changed.
create table measured_partitions (
  parent text not null,
  starts_on timestamptz not null,
  changes bigint not null, -- rows inserted, updated and deleted, as PostgreSQL has counted them
  measured_on timestamptz not null default now(),
  primary key (parent, starts_on)
);

-- Null: a payload that is gone was removed after PAYLOAD_RETENTION.
alter table events add column payload_erased_on timestamptz;

-- As before, but never a partition that ended within the last day, which is the shortest retention.
create or replace function drop_partition(parent text, starts_on timestamptz) returns boolean language plpgsql
security definer set search_path from current set lock_timeout = '25ms' as $$
declare
  name text := parent || to_char(starts_on at time zone 'UTC', '_YYYYMMDD');
  ends_on timestamptz := partition_end(parent, starts_on);
begin
  if not exists (select from pg_inherits where inhrelid = to_regclass(name) and inhparent = to_regclass(parent)) then
    return false;
  end if;
  perform require_privilege(parent, 'DELETE');
  if ends_on > now() - interval '24 hours' then
    raise exception 'partition % ended less than 24 hours ago', name using errcode = 'object_not_in_prerequisite_state';
  end if;
  -- After the lock, which waits for redeliveries that have read the partition.
  execute format('lock table only %I in access exclusive mode', parent);
  if parent <> 'audit_log' and exists (
    select from deliveries d
    where d.state in ('Pending', 'Retrying', 'Held')
      and d.event_id >= lowest_id(starts_on) and d.event_id < lowest_id(ends_on)
  ) then
    return true;
  end if;
  execute format('drop table %I', name);
  insert into removals (parent, starts_on) values (parent, starts_on) on conflict do nothing;
  delete from measured_partitions m where m.parent = drop_partition.parent and m.starts_on = drop_partition.starts_on;
  delete from kept_days k where k.name = parent and k.day >= (starts_on at time zone 'UTC')::date
    and k.day < (ends_on at time zone 'UTC')::date;
  return false;
end
$$;

-- Only roles of workers drop partitions (docs/operations.md): those that may delete events.
revoke execute on function drop_partition(text, timestamptz) from public;
do $$
declare
  role name;
begin
  for role in
    select distinct grantee::regrole::text from pg_class c, aclexplode(c.relacl) a
    where c.oid = 'events'::regclass and a.privilege_type = 'DELETE' and a.grantee <> 0 and a.grantee <> c.relowner
  loop
    execute format('grant execute on function drop_partition(text, timestamptz) to %s', role);
  end loop;
end
$$;
