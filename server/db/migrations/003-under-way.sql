-- What is out, or about to be, whatever it came from: order and a bound of what is in flight count it.
create index deliveries_under_way on deliveries (connection_id)
  where (due_on is null or begun_on is not null) and state in ('Pending', 'Retrying');
drop index deliveries_queue_begun;
drop index deliveries_queue;
