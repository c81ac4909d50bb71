-- The Application by which a tenant's people sign in to Settings; made when the first of them comes.
alter table tenants add column settings_client_id bigint references applications on delete set null;

-- Who has come in to Settings: it ends with the sign-in session, and with the grant that it came of.
create table settings_sessions (
  session_id uuid primary key references sessions on delete cascade,
  tenant_id uuid not null references tenants,
  family_id uuid not null references refresh_families on delete cascade,
  -- SHA-256 of the cookie's value
  digest bytea not null
);
create index settings_sessions_family on settings_sessions (family_id);

-- What the overview counts: a tenant's deliveries by when they came to their state.
create index deliveries_changed on deliveries (tenant_id, changed_on) include (state, connection_id);
-- What waits, the oldest first.
create index deliveries_waiting on deliveries (tenant_id, connection_id, event_id)
  where state in ('Pending', 'Retrying', 'Held');
-- What fails, the latest first.
create index deliveries_failing on deliveries (connection_id, event_id) where state in ('Retrying', 'Exhausted');
