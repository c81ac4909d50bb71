-- Finds the connections with failures in the last hour without asking for each connection in each partition.

create index attempts_failed_since on attempts (started_on) include (failed_to, delivery_id) where failed_to is not null;
