-- Receivers that answer late, if at all; what goes to them must not hold up what goes to others.
create table slow_receivers (
  connection_id uuid primary key references webhook_connections,
  tenant_id uuid not null,
  -- later, they are taken to be quick again
  until timestamptz not null
);

-- Set on a dispatch of one delivery that waits for its slow receiver's turn.
alter table dispatches add column connection_id uuid;
-- Set on one that has its turn: the row stays until the post has ended, and is counted as the receiver's.
alter table dispatches add column started_on timestamptz;
drop index dispatches_tenant;
create index dispatches_tenant on dispatches (tenant_id, id) where connection_id is null;
create index dispatches_connection on dispatches (connection_id, id) where connection_id is not null;

-- Of a post that went on in the worker that began it, for whoever goes on with the delivery.
alter table deliveries add column next_attempt_on timestamptz;
