-- How many deliveries wait, and since when: the ids of events are in the order of their time.
create index deliveries_backlog on deliveries (state, event_id) where state in ('Pending', 'Retrying');
