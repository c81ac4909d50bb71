-- Indexes of the activity log and the audit log in the order of their lists, so that a page of rare rows is found without
-- reading the others. NULLS LAST: lists that order so can use no other index, whatever the planner guesses.

-- For lists by EventRecord and EventType.
create index events_kind on events (tenant_id, event_record, event_type, id desc nulls last);

-- For lists by connection.
create index deliveries_closed_event on deliveries_closed (connection_id, event_id desc nulls last);
-- Not delivered at the first attempt: for dead letters, a connection's recent failures, and lists by state.
drop index deliveries_dead;
create index deliveries_troubled on deliveries_closed (tenant_id, connection_id, event_id desc nulls last, state)
  include (reason, is_ping) where state <> 'Delivered' or attempts > 1 or redelivered_after <> '{}';
-- For figures of a connection, and of a tenant's connections one after the other.
drop index deliveries_changed;
create index deliveries_changed on deliveries_closed (tenant_id, connection_id, changed_on) include (state)
  where not is_ping;
-- With pings, which lists have too.
drop index deliveries_waiting;
create index deliveries_waiting on deliveries_open (tenant_id, connection_id, event_id) where event_id is not null;

drop index audit_log_kind;
create index audit_log_kind on audit_log (tenant_id, kind, id);
