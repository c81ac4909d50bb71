-- In the order of commits for each record, for a change keeps its record locked until it is committed.
alter table events add column position bigint generated always as identity;

alter table deliveries
  add column position bigint not null default 0,
  -- set: it waits in the queue of its connection, no post before that time; null: it is its event's workflow's
  add column due_on timestamptz,
  -- since then a workflow of its own has it
  add column begun_on timestamptz,
  drop column next_attempt_on,
  alter column part type integer;
update deliveries d set position = e.position from events e where e.id = d.event_id;
update deliveries d set due_on = now() from dispatches o
where (o.connection_id is not null or o.delivery_ids is not null) and o.event_id = d.event_id and o.part = d.part
  and d.state in ('Pending', 'Retrying') and (o.delivery_ids is null or d.id = any (o.delivery_ids));
create index deliveries_queue on deliveries (connection_id, position)
  where due_on is not null and state in ('Pending', 'Retrying');
create index deliveries_queue_waiting on deliveries (connection_id, position)
  where due_on is not null and begun_on is null and state in ('Pending', 'Retrying');
create index deliveries_queue_begun on deliveries (connection_id)
  where due_on is not null and begun_on is not null and state in ('Pending', 'Retrying');
drop index deliveries_held;
create index deliveries_held on deliveries (connection_id, position) where state = 'Held';

delete from dispatches where connection_id is not null or delivery_ids is not null;
alter table dispatches drop column connection_id, drop column delivery_ids, drop column started_on;
create index dispatches_tenant on dispatches (tenant_id, id);
drop table slow_receivers;

alter table webhook_connections
  -- Record: of a record one delivery at a time, in the order of commits
  add column order_by text not null default 'None' check (order_by in ('None', 'Record')),
  add column rate_per_second smallint check (rate_per_second between 1 and 1000),
  add column max_in_flight smallint check (max_in_flight between 1 and 64),
  -- All that it gets goes through its queue.
  add column governed boolean not null
    generated always as (order_by <> 'None' or rate_per_second is not null or max_in_flight is not null) stored,
  -- When its rate lets the next post go.
  add column next_post_on timestamptz not null default 'epoch';

-- When its rate lets the next delivery go.
alter table redeliveries add column next_on timestamptz not null default 'epoch';
