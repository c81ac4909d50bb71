-- The activity log and the audit log are partitioned by the time in their ids, so that what has expired is dropped whole.
-- docs/decisions/0013-partitions.md has the reasons.

-- # Partitions

-- The lowest UUIDv7 of a moment.
create function lowest_id(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The start of the partition that has this moment: a day, or a month of the audit log, in UTC.
create function partition_start(parent text, at timestamptz) returns timestamptz language sql stable strict as $$
  select date_trunc(case parent when 'audit_log' then 'month' else 'day' end, at, 'UTC')
$$;

create function partition_end(parent text, at timestamptz) returns timestamptz language sql stable strict as $$
  select (partition_start(parent, at) at time zone 'UTC' + case parent when 'audit_log' then interval '1 month'
    else interval '1 day' end) at time zone 'UTC'
$$;

-- When the rows of a partition were removed.
create table removals (
  parent text not null,
  starts_on timestamptz not null, -- the partition's start
  removed_on timestamptz not null default now(),
  primary key (parent, starts_on)
);

-- The functions below run with their owner's rights, for roles without DDL rights.
create function require_privilege(name text, privilege text) returns void language plpgsql as $$
begin
  if not has_table_privilege(session_user, name, privilege) then
    raise exception 'permission denied for table %', name using errcode = 'insufficient_privilege';
  end if;
end
$$;

-- Makes the partition that has this moment, and returns its name if it is new. Only ATTACH locks the parent, and that
-- lock lets changes pass.
create function make_partition(parent text, at timestamptz) returns text language plpgsql
security definer set search_path from current as $$
declare
  starts_on timestamptz := partition_start(parent, at);
  name text := parent || to_char(starts_on at time zone 'UTC', '_YYYYMMDD');
begin
  if to_regclass(name) is not null then
    return null;
  end if;
  -- By a role that may write there, one at a time.
  perform require_privilege(parent, 'INSERT'), pg_advisory_xact_lock(7203416);
  -- From the table, because to_regclass answers from this session's cache.
  if exists (select from pg_class where relname = name and relnamespace = current_schema()::regnamespace) then
    return null;
  end if;
  execute format('create table %I (like %I including defaults including constraints)', name, parent);
  if parent = 'audit_log' then
    -- Statements on a partition do not fire the parent's trigger.
    execute format('create trigger audit_log_append_only before update or delete or truncate on %I '
      'for each statement execute function refuse_audit_change()', name);
    execute format('alter table %I enable always trigger audit_log_append_only', name);
  end if;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name,
    lowest_id(starts_on), lowest_id(partition_end(parent, starts_on)));
  return name;
end
$$;

-- The same for all days between two moments. Returns the new ones.
create function make_partitions(parents text[], since timestamptz, until timestamptz) returns setof text
language plpgsql as $$
declare
  parent text;
  at timestamptz;
begin
  foreach parent in array parents loop
    at := partition_start(parent, since);
    while at <= until loop
      return query select name from make_partition(parent, at) as name where name is not null;
      at := partition_end(parent, at);
    end loop;
  end loop;
end
$$;

-- Drops a partition whole, and notes it. Returns whether it is kept, because a delivery of its time is open. Changes wait
-- for the drop, and behind it for those before it, so it gives up after 25 ms.
create function drop_partition(parent text, starts_on timestamptz) returns boolean language plpgsql
security definer set search_path from current set lock_timeout = '25ms' as $$
declare
  name text := parent || to_char(starts_on at time zone 'UTC', '_YYYYMMDD');
begin
  if not exists (select from pg_inherits where inhrelid = to_regclass(name) and inhparent = to_regclass(parent)) then
    return false;
  end if;
  perform require_privilege(parent, 'DELETE');
  -- After the lock, which waits for redeliveries that have read the partition.
  execute format('lock table only %I in access exclusive mode', parent);
  if parent <> 'audit_log' and exists (
    select from deliveries d
    where d.state in ('Pending', 'Retrying', 'Held')
      and d.event_id >= lowest_id(starts_on) and d.event_id < lowest_id(partition_end(parent, starts_on))
  ) then
    return true;
  end if;
  execute format('drop table %I', name);
  insert into removals (parent, starts_on) values (parent, starts_on) on conflict do nothing;
  return false;
end
$$;

-- Days for which a tenant's log is kept; null, or more than RETENTION: as long as the installation's.
alter table tenants add column retention_days integer check (retention_days >= 1);

-- # The tables of 0.1.0 step aside

do $$
declare
  name text;
begin
  for name in
    select relname from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'i', 'S')
      and relname ~ '^(events|deliveries|attempts|former_outcomes|audit_log)(_|$)'
    order by relname
  loop
    execute format('alter table %I rename to %I', name, 'old_' || name);
  end loop;
end
$$;

alter table webhook_connections drop constraint webhook_connections_staged_event_id_fkey;
alter table dispatches drop constraint dispatches_event_id_fkey;

-- # Events

-- No foreign key: each would be checked for each change, and a partition with one could not be dropped by itself.
create table events (
  id uuid primary key,
  tenant_id uuid not null,
  -- In commit order for each record, because a change locks its record until it is committed.
  position bigint generated always as identity,
  event_record text not null,
  event_type text not null check (event_type in ('Created', 'Updated', 'Deleted', 'Ping')),
  record_id text not null,
  -- The sequence of each record, in the payload's order; null: a ping, which is no change.
  sequences bigint[],
  occurred_on timestamptz not null, -- by the API's clock, as in the payload; its id has the same time
  -- By PostgreSQL's clock, as webhook_connection_changes.changed_on.
  recorded_on timestamptz not null default clock_timestamp(),
  written_by xid8 not null default pg_current_xact_id(), -- for streams, which send each event once it is committed
  -- W3C Trace Context of the request that made the event; its attempts have the same trace.
  trace_parent text
) partition by range (id);
create index events_tenant on events (tenant_id, id);
-- The history of one record: in events of its own, and in those of several records.
create index events_record on events (tenant_id, record_id, id) where strpos(record_id, ',') = 0;
create index events_members on events using gin (string_to_array(record_id, ',')) where strpos(record_id, ',') > 0;

-- The exact text that is signed and posted, so that every attempt sends the same bytes. Removed after PAYLOAD_RETENTION.
create table payloads (
  event_id uuid primary key,
  payload text not null
) partition by range (event_id);

-- # Deliveries

-- PostgreSQL moves a row between the partitions when its state changes. Open deliveries are few and change often, so
-- they have the indexes of the queues; they are never dropped. Closed ones are many and are written once.
create table deliveries (
  id uuid not null,
  tenant_id uuid not null,
  event_id uuid not null,
  connection_id uuid not null,
  position bigint not null, -- the event's
  part integer not null, -- which of the event's workflows has it: each has at most 500 deliveries
  record uuid, -- by record_key: a queue is searched record by record. Null: the event has several records
  is_ping boolean not null default false, -- of a ping or a test, which is excluded from figures, alerts and dead letters
  state text not null check (state in ('Pending', 'Retrying', 'Delivered', 'Exhausted', 'Held', 'Cancelled')),
  -- The last attempt's result in one word: a status, a network failure, or lost. Null: delivered, or none yet.
  reason text,
  attempts smallint not null default 0,
  -- Attempts before the present run, which do not count in it.
  earlier_attempts smallint not null default 0,
  -- The number of attempts at each redelivery: later ones belong to the next run.
  redelivered_after smallint[] not null default '{}',
  redelivery_id uuid, -- the bulk redelivery that sends it, until its outcome is counted there
  -- Set while an attempt is in progress; if the next one finds it set, the worker died in between.
  attempt_started_on timestamptz,
  attempt_opened_by uuid, -- the caller that opened it, which finds it again after a lost response
  retry_on timestamptz, -- while Retrying: no attempt before that time
  -- Set: it waits in its connection's queue, no post before that time. Null: its event's workflow has it.
  due_on timestamptz,
  begun_on timestamptz, -- since then a workflow of its own has it, or a connection with max_in_flight counts it
  changed_on timestamptz not null default now()
) partition by list (state);

create table deliveries_open partition of deliveries for values in ('Pending', 'Retrying', 'Held')
  with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000);
create unique index deliveries_open_id on deliveries_open (id);
create index deliveries_open_event on deliveries_open (event_id);
-- For the reconciler: deliveries without recent activity. The planner sees no difference between indexes while nothing
-- is open, and statistics may be old when a burst comes. So the queries that are no queue's name their index by a
-- condition "is not null".
create index deliveries_open_changed on deliveries_open (changed_on)
  where state in ('Pending', 'Retrying') and changed_on is not null;
-- A connection's held deliveries, and its queue.
create index deliveries_held on deliveries_open (connection_id, position) where state = 'Held';
create index deliveries_queue_waiting on deliveries_open (connection_id, position)
  where due_on is not null and begun_on is null and state in ('Pending', 'Retrying');
create index deliveries_queue_record on deliveries_open (connection_id, record, position)
  where due_on is not null and begun_on is null and state in ('Pending', 'Retrying');
create index deliveries_held_record on deliveries_open (connection_id, record, position) where state = 'Held';
-- For MaxInFlight.
create index deliveries_begun on deliveries_open (connection_id)
  where begun_on is not null and state in ('Pending', 'Retrying');
-- In progress, or about to be: in an ordered connection one for each record.
create index deliveries_under_way on deliveries_open (connection_id, record)
  where (due_on is null or begun_on is not null) and state in ('Pending', 'Retrying');
-- For metrics: how many deliveries wait, and since when. Ids of events are in time order.
create index deliveries_backlog on deliveries_open (state, event_id)
  where state in ('Pending', 'Retrying') and event_id is not null;
-- For Settings: what waits, the oldest first, and how many came to their state when.
create index deliveries_waiting on deliveries_open (tenant_id, connection_id, event_id)
  where event_id is not null and not is_ping;
create index deliveries_open_since on deliveries_open (tenant_id, changed_on) include (state, connection_id)
  where not is_ping;
create index deliveries_open_redelivery on deliveries_open (redelivery_id) where redelivery_id is not null;

create table deliveries_closed partition of deliveries for values in ('Delivered', 'Exhausted', 'Cancelled')
  partition by range (event_id);
create unique index deliveries_closed_id on deliveries_closed (event_id, id);
create index deliveries_closed_connection on deliveries_closed (connection_id, position);
-- For Settings: how many came to their state when.
create index deliveries_changed on deliveries_closed (tenant_id, changed_on) include (state, connection_id)
  where not is_ping;
-- For the dead letters, and for a connection's recent failures.
create index deliveries_dead on deliveries_closed (tenant_id, connection_id, event_id, reason)
  where state = 'Exhausted' and not is_ping;
create index deliveries_closed_redelivery on deliveries_closed (redelivery_id) where redelivery_id is not null;

-- Deliveries that a Replay skips, because their payloads were removed.
alter table redeliveries add column skipped integer not null default 0;

-- The outbox has what a workflow's start needs, so that no partition is searched for it.
alter table dispatches
  add column event_record text,
  add column event_type text,
  add column record_id text,
  add column record_name text, -- null: of several records, of a User, or without Name
  add column trace_parent text,
  add column delivery_count integer not null default 0; -- of the part
alter table dispatches set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Outcomes of deliveries before they continued: redelivered, drained, probed or cancelled. They keep the figures of past
-- hours unchanged.
create table former_outcomes (
  id bigint generated always as identity,
  tenant_id uuid not null,
  event_id uuid not null,
  delivery_id uuid not null,
  connection_id uuid not null,
  state text not null check (state in ('Delivered', 'Exhausted', 'Held', 'Cancelled')),
  reason text,
  reached_on timestamptz not null,
  redelivery_id uuid -- the bulk redelivery by which it continued
) partition by range (event_id);
create index former_outcomes_delivery on former_outcomes (event_id, delivery_id, id);
create index former_outcomes_reached on former_outcomes (tenant_id, reached_on) include (state, connection_id);
create index former_outcomes_redelivery on former_outcomes (redelivery_id, id) where redelivery_id is not null;

create table attempts (
  event_id uuid not null,
  delivery_id uuid not null,
  number smallint not null,
  started_on timestamptz not null,
  duration_ms integer not null,
  status_code smallint,
  failure text, -- the network failure in one word; null: the receiver answered
  failed_to uuid, -- the connection, of an attempt that failed; null: it delivered, was cancelled, or is a ping's
  primary key (event_id, delivery_id, number)
) partition by range (event_id);
create index attempts_failed on attempts (failed_to, started_on) where failed_to is not null;
-- For alerts: which connections have failed recently, without a search for each of them in each partition.
create index attempts_failed_since on attempts (started_on) include (failed_to, delivery_id) where failed_to is not null;

-- Answers of receivers. Removed after PAYLOAD_RETENTION.
create table responses (
  event_id uuid not null,
  delivery_id uuid not null,
  number smallint not null,
  headers text,
  body text,
  primary key (event_id, delivery_id, number)
) partition by range (event_id);

-- # Audit

create table audit_log (
  tenant_id uuid not null,
  id uuid not null,
  occurred_on timestamptz not null default clock_timestamp(),
  kind text not null,
  outcome text not null check (outcome in ('Success', 'Failure')),
  actor_type text, -- User or Application; null: unauthenticated
  actor_id bigint,
  client_id bigint, -- the application that acted or was acted for
  address text not null,
  user_agent text not null,
  subject_type text, -- the affected record, by its API type
  subject_id text,
  details jsonb not null, -- never a secret or a personal value
  request_key text not null,
  primary key (tenant_id, id)
) partition by range (id);
create index audit_log_kind on audit_log (tenant_id, kind, occurred_on);
create index audit_log_actor on audit_log (tenant_id, actor_type, actor_id, id);
create index audit_log_subject on audit_log (tenant_id, subject_type, subject_id, id);
create index audit_log_failure on audit_log (tenant_id, id) where outcome = 'Failure';
create index audit_log_request on audit_log (tenant_id, request_key, id);
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
alter table audit_log enable always trigger audit_log_append_only;

-- # The rows of 0.1.0

do $$
declare
  logs constant text[] := array['events', 'payloads', 'deliveries_closed', 'attempts', 'responses', 'former_outcomes'];
begin
  perform make_partitions(logs, day, day)
  from (select distinct date_trunc('day', uuid_extract_timestamp(id), 'UTC') as day from old_events) days;
  perform make_partitions(array['audit_log'], month, month)
  from (select distinct date_trunc('month', uuid_extract_timestamp(id), 'UTC') as month from old_audit_log) months;
  perform make_partitions(logs || 'audit_log'::text, now() - interval '1 day', now() + interval '7 days');
end
$$;

insert into events overriding system value
select id, tenant_id, position, event_record, event_type, record_id, sequences, occurred_on, recorded_on, written_by,
  trace_parent
from old_events;
insert into payloads select id, payload from old_events;
insert into deliveries
select id, tenant_id, event_id, connection_id, position, part, record, is_ping, state, reason, attempts,
  earlier_attempts, redelivered_after, redelivery_id, attempt_started_on, attempt_opened_by, retry_on, due_on, begun_on,
  changed_on
from old_deliveries;
insert into former_outcomes overriding system value
select f.id, f.tenant_id, d.event_id, f.delivery_id, f.connection_id, f.state, f.reason, f.reached_on, f.redelivery_id
from old_former_outcomes f join old_deliveries d on d.id = f.delivery_id;
insert into attempts
select d.event_id, a.delivery_id, a.number, a.started_on, a.duration_ms, a.status_code, a.failure, a.failed_to
from old_attempts a join old_deliveries d on d.id = a.delivery_id;
insert into responses
select d.event_id, a.delivery_id, a.number, a.response_headers, a.response_body
from old_attempts a join old_deliveries d on d.id = a.delivery_id
where num_nonnulls(a.response_headers, a.response_body) > 0;
insert into audit_log
select tenant_id, id, occurred_on, kind, outcome, actor_type, actor_id, client_id, address, user_agent, subject_type,
  subject_id, details, request_key
from old_audit_log;
update dispatches o set event_record = e.event_record, event_type = e.event_type, record_id = e.record_id,
  record_name = case when e.event_record <> 'User' and strpos(e.record_id, ',') = 0
    then left(e.payload::json #>> '{Data,Name}', 40) end,
  trace_parent = e.trace_parent,
  delivery_count = (select count(*) from old_deliveries d where d.event_id = o.event_id and d.part = o.part)
from old_events e where e.id = o.event_id;
alter table dispatches
  alter column event_record set not null, alter column event_type set not null, alter column record_id set not null;

select setval(pg_get_serial_sequence('events', 'position'), (select max(position) from old_events))
where exists (select from old_events);
select setval(pg_get_serial_sequence('former_outcomes', 'id'), (select max(id) from old_former_outcomes))
where exists (select from old_former_outcomes);

drop table old_attempts, old_former_outcomes, old_deliveries, old_events, old_audit_log;

-- BEFORE, because an AFTER trigger does not see that a row has moved to another partition.
create or replace function keep_former_outcome() returns trigger language plpgsql as $$
begin
  insert into former_outcomes (tenant_id, event_id, delivery_id, connection_id, state, reason, reached_on, redelivery_id)
  values (old.tenant_id, old.event_id, old.id, old.connection_id, old.state, old.reason, old.changed_on,
    case when new.state = 'Pending' then new.redelivery_id end);
  return new;
end
$$;
create trigger deliveries_keep_former_outcome before update on deliveries
  for each row when (
    old.state in ('Delivered', 'Exhausted', 'Held', 'Cancelled') and new.state <> old.state and not old.is_ping
  ) execute function keep_former_outcome();
analyze events, payloads, deliveries, former_outcomes, attempts, responses, audit_log;
