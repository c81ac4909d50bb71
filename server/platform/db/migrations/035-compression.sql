-- Posts compressed by gzip, if a connection asks for it.
alter table webhook_connections add column compression text not null default 'None';
