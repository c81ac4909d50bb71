-- Connections without an address, whose consumer asks for the events. Their deliveries are Held until acknowledged.
alter table webhook_connections
  add column kind text not null default 'Push',
  add column leased_until timestamptz, -- until then no other consumer gets the events up to leased_upto
  add column leased_upto bigint not null default 0,
  add column acknowledged_upto bigint not null default 0; -- the last acknowledged position

-- When it was last given to a consumer; null: it was not, or it was sent again since.
alter table deliveries add column leased_on timestamptz;

-- An acknowledged delivery was not held back, so it has no former outcome.
create or replace function keep_former_outcome() returns trigger language plpgsql as $$
begin
  if old.state = 'Held' and new.state = 'Delivered' and new.leased_on is not null then return new; end if;
  insert into former_outcomes (tenant_id, event_id, delivery_id, connection_id, state, reason, reached_on, redelivery_id)
  values (old.tenant_id, old.event_id, old.id, old.connection_id, old.state, old.reason, old.changed_on,
    case when new.state = 'Pending' then new.redelivery_id end);
  return new;
end
$$;
