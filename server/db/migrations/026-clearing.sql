-- Of a deleted connection: deliveries that it had still to get are not all cancelled yet.
alter table webhook_connections add column clearing boolean not null default false;
create index webhook_connections_clearing on webhook_connections (id) where clearing;
