-- Every process keeps in memory what tokens of a client give, and forgets it when the client's scopes change.
create function announce_credentials_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('gatehouse_access', 'principals ' || tenant_id) from applications where id = old.application_id;
  return null;
end
$$;

create trigger credentials_announce after update on credentials
  for each row when (old.scopes is distinct from new.scopes) execute function announce_credentials_change();
