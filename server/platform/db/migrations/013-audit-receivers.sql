-- AuditEvent is or was among the connection's entities, so deliveries of entries may be stored for it. Set by each save.
alter table webhook_connections add column receives_audit boolean not null default false;
