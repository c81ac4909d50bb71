-- The address to which a link to set a password was mailed; null: an administrator has it.
alter table password_resets add column address text;

-- Whether setting a forgotten password ends the user's sessions and refresh tokens.
alter table tenants add column sessions_after_reset text not null default 'End';

-- One-time links in mails to users. Address: confirms that the user receives mail at the address, which becomes the
-- user's own. Alarm: "this was not me", after a change of a credential.
create table mailed_links (
  id bigint generated always as identity primary key,
  digest bytea not null constraint mailed_links_digest_key unique, -- of the token in the link
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  purpose text not null check (purpose in ('Address', 'Alarm')),
  address text not null, -- where it was sent
  expires_on timestamptz not null
);
-- A new mail makes the link of the former one void. Alarms of several changes stay.
create unique index mailed_links_address on mailed_links (user_id) where purpose = 'Address';
create index mailed_links_user on mailed_links (tenant_id, user_id);
create index mailed_links_expiry on mailed_links (expires_on);

-- Links that were made before a change of what they are bound to are void.
create function void_links_of_user() returns trigger language plpgsql as $$
begin
  delete from password_resets where user_id = new.id and (address is not null or not new.is_active);
  delete from mailed_links where user_id = new.id and (purpose = 'Address' or not new.is_active);
  return null;
end
$$;
create trigger users_void_links after update of email, is_active on users
  for each row when (new.email is distinct from old.email or (old.is_active and not new.is_active))
  execute function void_links_of_user();

create function void_password_resets() returns trigger language plpgsql as $$
begin
  delete from password_resets where user_id = new.user_id;
  return null;
end
$$;
create trigger passwords_void_resets after insert or update on passwords
  for each row execute function void_password_resets();

create table invitations (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  email text not null,
  name text not null,
  roles text[] not null, -- names
  department_id bigint references departments on delete set null,
  state text not null check (state in ('Sent', 'Accepted', 'Revoked')), -- Sent and past expires_on: Expired
  digest bytea constraint invitations_digest_key unique, -- of the token in the last mail's link
  client_id bigint not null, -- of the last one who saved or sent it, who is judged again when it is accepted
  user_id integer, -- accepted by; a row outlives the User, as a log
  expires_on timestamptz(3) not null,
  sequence bigint not null,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3) not null default now(), modified_by_type text, modified_by_id bigint
);
create unique index invitations_open on invitations (tenant_id, lower(email)) where state = 'Sent';
create index invitations_tenant on invitations (tenant_id, id);
create index invitations_user on invitations (tenant_id, user_id);
create index invitations_department on invitations (department_id);
create index invitations_expiry on invitations (expires_on);
