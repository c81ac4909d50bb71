-- Of what record a delivery is, so that a queue is looked through record by record. Null: its event is of several.
alter table deliveries add column record uuid;

create function record_key(event_record text, record_id text) returns uuid language sql immutable strict parallel safe
as $$ select md5(event_record || ' ' || record_id)::uuid $$;

update deliveries d set record = record_key(e.event_record, e.record_id) from events e
where e.id = d.event_id and d.state in ('Pending', 'Retrying', 'Held') and strpos(e.record_id, ',') = 0;

drop index deliveries_under_way;
create index deliveries_under_way on deliveries (connection_id, record)
  where (due_on is null or begun_on is not null) and state in ('Pending', 'Retrying');
create index deliveries_queue_record on deliveries (connection_id, record, position)
  where due_on is not null and begun_on is null and state in ('Pending', 'Retrying');
create index deliveries_held_record on deliveries (connection_id, record, position) where state = 'Held';
