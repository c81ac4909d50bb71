-- What was done to sign-ins, credentials and settings: by whom, and from where. Its rows outlive what they tell of, so
-- they point at nothing but their tenant.
create table audit_log (
  tenant_id uuid not null references tenants,
  id uuid not null,
  occurred_on timestamptz not null default clock_timestamp(),
  kind text not null,
  outcome text not null check (outcome in ('Success', 'Failure')),
  -- User or Application; null: nobody who has proved who they are
  actor_type text,
  actor_id bigint,
  -- the application it was done by or for
  client_id bigint,
  address text not null,
  user_agent text not null,
  -- what it was done to, as the API names it
  subject_type text,
  subject_id text,
  -- never a secret or a personal value
  details jsonb not null,
  request_key text not null,
  primary key (tenant_id, id)
);
create index audit_log_kind on audit_log (tenant_id, kind, occurred_on);
create index audit_log_actor on audit_log (tenant_id, actor_type, actor_id, id);
create index audit_log_subject on audit_log (tenant_id, subject_type, subject_id, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only: % is refused', tg_op using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
alter table audit_log enable always trigger audit_log_append_only;

-- The blocked_until that the audit log has told of: each time that attempts are blocked is one row there.
alter table signin_failures add column audited_until timestamptz;
