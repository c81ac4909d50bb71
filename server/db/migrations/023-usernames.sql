-- A Username as it is compared: wide and narrow forms, capitals and compositions of a character are the same one, as in
-- RFC 8265's UsernameCaseMapped. NFKC maps more than widths alone, and to go by capitals makes one of the small letters
-- that share one (σ and ς), so it tells fewer names apart, never more.
create function username_key(username text) returns text language sql immutable strict parallel safe as $$
  select nullif(normalize(lower(normalize(upper(normalize(username, NFKC) collate "pg_c_utf8"), NFC)), NFC), '')
$$;

alter table users add column username_key text generated always as (username_key(username)) stored;
-- NFKC may make a text longer than an index entry.
create index users_username_key on users (tenant_id, md5(username_key));

-- Whether there is something that a User can sign in by, or a link that it can set a password by.
create function can_sign_in(id integer) returns boolean language sql stable as $$
  select exists (select from passwords where user_id = id)
    or exists (select from totp_secrets where user_id = id)
    or exists (select from upstream_identities where user_id = id)
    or exists (select from password_resets where user_id = id and expires_on > now())
$$;

-- Whoever writes a Username, or gives its User a way to sign in, takes turns with the others of the tenant until the
-- transaction ends. It is the turn of server/entities/store.ts, so who has that one waits for nobody here.
create function refuse_shared_username(tenant uuid, own_id integer, own_key text, signs_in boolean) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('users ' || tenant, 0));
  if exists (
    select from users u
    where u.tenant_id = tenant and md5(u.username_key) = md5(own_key) and u.username_key = own_key and u.id <> own_id
      and (signs_in or can_sign_in(own_id) or can_sign_in(u.id))
  ) then
    raise exception 'a Username of who can sign in would be shared'
      using errcode = 'unique_violation', constraint = 'users_username_own', table = 'users';
  end if;
end
$$;

create function own_username() returns trigger language plpgsql as $$
begin
  perform refuse_shared_username(new.tenant_id, new.id, new.username_key, false);
  return null;
end
$$;

create trigger users_username_own_inserted after insert on users
  for each row when (new.username_key is not null) execute function own_username();
create trigger users_username_own_changed after update of username on users
  for each row when (new.username_key is distinct from old.username_key and new.username_key is not null)
  execute function own_username();

-- Before the row is written, so that the turn is waited for before the foreign key locks the User.
create function own_username_of_way_in() returns trigger language plpgsql as $$
declare
  tenant uuid;
  own_key text;
begin
  -- A password goes with its User alone: who has one had the name to itself when it was set.
  if exists (select from passwords where user_id = new.user_id) then return new; end if;
  select tenant_id into tenant from users where id = new.user_id;
  perform pg_advisory_xact_lock(hashtextextended('users ' || tenant, 0));
  select username_key into own_key from users where id = new.user_id;
  if own_key is not null then perform refuse_shared_username(tenant, new.user_id, own_key, true); end if;
  return new;
end
$$;

create trigger passwords_username_own before insert on passwords
  for each row execute function own_username_of_way_in();
create trigger totp_secrets_username_own before insert on totp_secrets
  for each row execute function own_username_of_way_in();
create trigger upstream_identities_username_own before insert on upstream_identities
  for each row execute function own_username_of_way_in();
create trigger password_resets_username_own before insert on password_resets
  for each row execute function own_username_of_way_in();
