-- The place of an entry, its address and user agent, is always kept so that it can be removed: sealed for the acting or
-- the affected User, for some days where no User and no Application is known, in the clear only for an Application.

create or replace function person_of(actor_type text, actor_id bigint, subject_type text, subject_id text)
returns integer language sql immutable parallel safe as $$
  select case when actor_type = 'User' then actor_id::integer
    when subject_type = 'User' then subject_id::integer end
$$;

-- The places of unauthenticated callers that are not known to be about a User. Maintenance removes them.
create table audit_places (
  tenant_id uuid not null,
  entry_id uuid not null, -- in audit_log
  address text not null,
  user_agent text not null,
  expires_on timestamptz not null,
  primary key (tenant_id, entry_id)
);
create index audit_places_expiry on audit_places (expires_on);
