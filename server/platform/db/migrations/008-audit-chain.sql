-- The audit log as a chain of hashes, so that a removed, altered or added entry shows (docs/audit.md).

-- One row for each entry of all tenants, in the order of their ids, written by a worker some seconds after the entry.
create table audit_chain (
  entry_id uuid primary key, -- in audit_log
  tenant_id uuid not null,
  position bigint not null, -- from 1, without gaps
  hash bytea not null -- SHA-256 of the hash before and of the entry's columns
);

-- A UUIDv7 by PostgreSQL's clock, in microseconds, so that ids of all processes are in one order. The chain relies on it.
create function new_id() returns uuid language sql volatile parallel safe as $$
  select (lpad(to_hex(now.us / 1000), 12, '0') || '7' || lpad(to_hex(now.us % 1000 * 4096 / 1000), 3, '0')
    || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid
  from (select floor(extract(epoch from clock_timestamp()) * 1000000)::bigint as us) now
$$;
