-- A role has listed members, and may also be a role of every User, or of every User who is linked to an identity provider.
alter table roles
  add column all_users boolean not null default false,
  add column identity_provider_id bigint references identity_providers;

-- The namespace of a provider's subjects, as signin/upstream/configuration.ts has it. Links of a former one are not valid.
create function authority_of(provider identity_providers) returns text language sql stable as $$
  select case when provider.type = 'OpenIDConnect' then concat_ws(' ', provider.issuer, provider.metadata_uri)
    else provider.userinfo_endpoint || '#' || coalesce(provider.mapping->>'Subject', 'sub') end
$$;

-- Whether the provider's users have its roles. If it has rules for new users, users who linked an account themselves may
-- not meet them.
create function gives_roles(provider identity_providers, provisioned boolean) returns boolean language sql stable as $$
  select provider.is_active and (provisioned or not (provider.require_verified_email
    or cardinality(provider.allowed_domains) > 0 or cardinality(provider.allowed_tenants) > 0))
$$;

-- A new role may have users at once.
drop trigger roles_announce on roles;
create trigger roles_announce after insert or update or delete on roles
  for each row execute function announce('roles');

create function announce_linked_roles() returns trigger language plpgsql as $$
declare
  changed upstream_identities := coalesce(new, old);
begin
  if exists (select from roles where tenant_id = changed.tenant_id
      and identity_provider_id = changed.identity_provider_id) then
    perform pg_notify('gatehouse_access', 'roles ' || changed.tenant_id);
  end if;
  return null;
end
$$;

create trigger upstream_identities_announce after insert or delete on upstream_identities
  for each row execute function announce_linked_roles();
create trigger identity_providers_announce_roles after update on identity_providers
  for each row when ((authority_of(old), gives_roles(old, true), gives_roles(old, false))
    is distinct from (authority_of(new), gives_roles(new, true), gives_roles(new, false)))
  execute function announce('roles');
