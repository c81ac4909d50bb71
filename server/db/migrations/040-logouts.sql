-- OpenID Connect Back-Channel Logout 1.0: clients are told when a session ends.

alter table credentials add column backchannel_logout_uri text; -- null: it is told of no logout

-- Whom the end of a session is told to: the clients that its user has signed in to by it.
create table session_clients (
  session_id uuid not null references sessions on delete cascade,
  client_id bigint not null references credentials on delete cascade,
  -- As the client knows the session: that of an earlier one, if its user has signed in anew in the same browser since.
  sid uuid not null,
  tenant_id uuid not null references tenants,
  primary key (session_id, client_id, sid)
);
create index session_clients_client on session_clients (client_id);

-- One client that is told of the end of one session.
create table logouts (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  user_id integer not null, -- no reference: a user's deletion ends sessions too
  sid uuid not null,
  state text not null default 'Pending' check (state in ('Pending', 'Retrying', 'Delivered', 'Exhausted', 'Cancelled')),
  reason text, -- why it was not delivered: host, status and one word
  attempts smallint not null default 0,
  earlier_attempts smallint not null default 0, -- of the runs before the last redelivery
  run smallint not null default 1, -- each redelivery is another one, with a workflow of its own
  retry_on timestamptz, -- no attempt before that time
  lease_until timestamptz not null default '-infinity', -- until then its workflow need not be looked for
  created_on timestamptz(3) not null default now(),
  ended_on timestamptz(3)
) with (fillfactor = 80);
create index logouts_client on logouts (client_id, created_on, id);
create index logouts_open on logouts (lease_until) where state in ('Pending', 'Retrying');
create index logouts_ended on logouts (ended_on);

create table logout_attempts (
  logout_id uuid not null references logouts on delete cascade,
  number smallint not null,
  started_on timestamptz not null,
  duration_ms integer, -- null: it is out, or was lost with its worker
  status_code smallint,
  failure text, -- the network failure in one word; null: the receiver answered
  response_headers text,
  response_body text,
  primary key (logout_id, number)
);

-- Sessions are deleted in many places, and with their users and identity providers; this one sees all of them. One that
-- has expired has ended long before its row goes.
create function log_clients_out() returns trigger language plpgsql as $$
begin
  if old.expires_on > now() then
    -- Locked, for a client that is being deleted meanwhile could not be referred to.
    insert into logouts (id, tenant_id, client_id, user_id, sid)
    select gen_random_uuid(), old.tenant_id, c.client_id, old.user_id, c.sid
    from session_clients c join credentials k on k.application_id = c.client_id
    where c.session_id = old.id and k.backchannel_logout_uri is not null
    for key share of k;
    if found then perform pg_notify('gatehouse_logout', ''); end if;
  end if;
  return old;
end
$$;
create trigger sessions_log_clients_out before delete on sessions for each row execute function log_clients_out();
