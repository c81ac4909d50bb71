-- The audit log is append-only, so the parts of an entry that tell about a person are sealed by a key of that person.
-- Destroying the key removes them from every entry at once.

-- A row has no reference to its User, because the key outlives a deleted User.
create table personal_keys (
  tenant_id uuid not null references tenants,
  user_id integer not null,
  key bytea not null default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
  primary key (tenant_id, user_id)
);

create function make_personal_key() returns trigger language plpgsql as $$
begin
  insert into personal_keys (tenant_id, user_id) values (new.tenant_id, new.id);
  return null;
end
$$;
create trigger users_personal_key after insert on users for each row execute function make_personal_key();
insert into personal_keys (tenant_id, user_id) select tenant_id, id from users;

-- The address and the user agent as JSON, sealed; then address and user_agent are empty. The person is the acting User,
-- or the affected one if the actor is unauthenticated. Entries from before this migration are not sealed.
alter table audit_log add column sealed bytea;

-- Null: no User, or an entry about an Application's own action.
create function person_of(actor_type text, actor_id bigint, subject_type text, subject_id text) returns integer
language sql immutable parallel safe as $$
  select case when actor_type = 'User' then actor_id::integer
    when actor_type is null and subject_type = 'User' then subject_id::integer end
$$;
