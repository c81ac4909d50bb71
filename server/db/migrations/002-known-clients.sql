-- Every process keeps in memory what clients are and how they prove it, and forgets it when it hears of a change.
create function announce_client() returns trigger language plpgsql as $$
begin
  perform pg_notify('gatehouse_access', 'clients ' || tenant_id) from applications
  where id = coalesce(new.application_id, old.application_id);
  return null;
end
$$;

create trigger credentials_announce_client after insert or update or delete on credentials
  for each row execute function announce_client();
create trigger client_secrets_announce_client after insert or update or delete on client_secrets
  for each row execute function announce_client();

create function announce_clients_of_tenant() returns trigger language plpgsql as $$
begin
  perform pg_notify('gatehouse_access', 'clients ' || old.tenant_id);
  return null;
end
$$;

create trigger applications_announce_client_update after update on applications
  for each row when ((old.name, old.web_site_url, old.is_active, old.authentication_id)
    is distinct from (new.name, new.web_site_url, new.is_active, new.authentication_id))
  execute function announce_clients_of_tenant();
create trigger applications_announce_client_delete after delete on applications
  for each row execute function announce_clients_of_tenant();
create trigger identity_providers_announce_clients after update or delete on identity_providers
  for each row execute function announce_clients_of_tenant();

create function announce_settings_client() returns trigger language plpgsql as $$
begin
  perform pg_notify('gatehouse_access', 'clients ' || new.id);
  return null;
end
$$;

create trigger tenants_announce_clients after update on tenants
  for each row when (old.settings_client_id is distinct from new.settings_client_id)
  execute function announce_settings_client();
