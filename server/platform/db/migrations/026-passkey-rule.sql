-- A tenant's rule for passkeys: for all users, or for the users of some roles.
alter table tenants
  add column passkeys text not null default 'Optional', -- Optional, Encouraged or Required
  add column passkeys_required_from timestamptz, -- null: at once
  add column passkey_models text[] not null default '{}'; -- AAGUIDs; empty: every model
alter table roles add column requires_passkey boolean not null default false;
alter table sessions add column passkey_id uuid; -- with which the user has signed in; it may be removed
alter table passkey_handles add column asked_on timestamptz; -- the user did not want a passkey now

-- Whether the user must sign in with a passkey. Roles are held as in access/roles.store.ts.
create function needs_passkey(tenant tenants, member integer) returns boolean language sql stable as $$
  select coalesce(tenant.passkeys_required_from <= now(), true) and (tenant.passkeys = 'Required' or exists (
    select from roles r where r.tenant_id = tenant.id and r.requires_passkey and (r.all_users
      or exists (select from role_members m where m.role_id = r.id and m.user_id = member)
      or exists (
        select from upstream_identities i join identity_providers p on p.id = i.identity_provider_id
        where p.id = r.identity_provider_id and i.user_id = member and i.authority = authority_of(p)
          and gives_roles(p, i.provisioned)))))
$$;

create function fits_passkey(tenant tenants, passkey passkeys) returns boolean language sql stable as $$
  select tenant.passkey_models = '{}' or passkey.aaguid::text = any (tenant.passkey_models)
$$;

-- The passkey that a session lacks: use, one that the user has; add, one that the user must add; offer, one to be offered after
-- a password; null, nothing. An offer that was declined is repeated after 30 days.
create function passkey_due(session sessions) returns text language sql stable as $$
  select case
    when exists (select from passkeys k where k.id = session.passkey_id and fits_passkey(t, k)) then null
    when needs_passkey(t, session.user_id) then
      case when exists (select from passkeys k where k.user_id = session.user_id and fits_passkey(t, k)) then 'use' else 'add' end
    when t.passkeys <> 'Optional' and 'pwd' = any (session.amr) and session.created_on > now() - interval '10 minutes'
      and not exists (select from passkeys k where k.user_id = session.user_id)
      and not exists (
        select from passkey_handles h where h.user_id = session.user_id and h.asked_on > now() - interval '30 days')
      then 'offer'
  end
  from tenants t where t.id = session.tenant_id
$$;
