alter table webhook_connections
  add column description text,
  -- milliseconds that one attempt may take; null: WEBHOOK_TIMEOUT
  add column timeout_ms integer,
  -- extra headers as a JSON object, sealed by the master key; null: none
  add column headers bytea,
  -- a new secret that a ping has still to prove, sealed
  add column staged_secret bytea,
  add column staged_on timestamptz,
  -- for how long the former secret is to sign beside it once it is proved
  add column staged_overlap_seconds integer,
  -- the ping that proves it; null: none was sent yet
  add column staged_event_id uuid references events,
  -- the secret before, which signs beside the one in force until then
  add column former_secret bytea,
  add column former_until timestamptz;

alter table events
  drop constraint events_event_type_check,
  add constraint events_event_type_check check (event_type in ('Created', 'Updated', 'Deleted', 'Ping')),
  -- By PostgreSQL's clock, which connections' changes have as well. Earlier events have theirs by the API's.
  add column recorded_on timestamptz;
alter table events alter column recorded_on set default clock_timestamp();

-- Pings are no dead letters, whatever came of them.
create index events_ping on events (tenant_id, id) where event_type = 'Ping';

-- What a connection was subscribed to, and its state, since when: why it did or did not get an event.
create table webhook_connection_changes (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  connection_id uuid not null references webhook_connections,
  entities text[] not null,
  events text[] not null,
  state text not null,
  deleted boolean not null,
  -- why it is Held
  held_reason text,
  changed_on timestamptz not null default clock_timestamp()
);
create index webhook_connection_changes_connection on webhook_connection_changes (connection_id, id);

-- What there is stands as it is since it was last modified; nobody knows what stood before.
insert into webhook_connection_changes
  (tenant_id, connection_id, entities, events, state, deleted, held_reason, changed_on)
select tenant_id, id, entities, events, state, false, held_reason, modified_on from webhook_connections
order by modified_on;
insert into webhook_connection_changes
  (tenant_id, connection_id, entities, events, state, deleted, held_reason, changed_on)
select tenant_id, id, entities, events, state, true, held_reason, deleted_on from webhook_connections
where deleted_on is not null order by deleted_on;

-- A trigger, so that whoever changes a connection writes its history in the same transaction.
create function record_connection_change() returns trigger language plpgsql as $$
begin
  insert into webhook_connection_changes (tenant_id, connection_id, entities, events, state, deleted, held_reason)
  values (new.tenant_id, new.id, new.entities, new.events, new.state, new.deleted_on is not null,
    new.held_reason);
  return null;
end
$$;
create trigger webhook_connection_made after insert on webhook_connections
  for each row execute function record_connection_change();
create trigger webhook_connection_changed after update on webhook_connections
  for each row when (
    (old.entities, old.events, old.state, old.deleted_on)
      is distinct from (new.entities, new.events, new.state, new.deleted_on)
  ) execute function record_connection_change();

-- What the last attempt came to, in one word: a status, a network failure, or lost. null: it was delivered, or none yet.
alter table deliveries add column reason text;
update deliveries d set reason = coalesce(a.failure, a.status_code::text)
from attempts a
where d.state in ('Exhausted', 'Held', 'Retrying') and a.delivery_id = d.id
  and a.number = (select max(number) from attempts last where last.delivery_id = d.id);
create index deliveries_dead on deliveries (tenant_id, event_id, connection_id, state, reason)
  where state in ('Exhausted', 'Held');
