-- Logouts that wait for their turn.
create index logouts_waiting on logouts (tenant_id, client_id, created_on) where lease_until = '-infinity' and state in ('Pending', 'Retrying');
