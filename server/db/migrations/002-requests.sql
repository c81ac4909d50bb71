-- # The last requests

-- What clients have asked for lately, for who has a RequestKey and wants to know what it was. Nothing of a request's body,
-- query or path values stands here. Maintenance removes what is older than a day, and what is beyond a tenant's share.
create table requests (
  tenant_id uuid not null references tenants,
  id uuid not null, -- a UUIDv7 of the time when it came
  request_key text not null,
  -- W3C Trace Context of its own span, by which the events that it made are known; null: it makes none.
  trace_parent text,
  method text not null,
  route text not null, -- as the code writes it
  status smallint not null,
  duration_ms real not null,
  client_id bigint not null,
  -- Requests of the tenant before this one that were not written, for there were too many.
  omitted integer not null,
  primary key (tenant_id, id)
);
create index requests_key on requests (tenant_id, request_key);
create index requests_trace on requests (tenant_id, trace_parent) where trace_parent is not null;
create index requests_failed on requests (tenant_id, id) where status >= 400;
