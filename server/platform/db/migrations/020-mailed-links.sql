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
