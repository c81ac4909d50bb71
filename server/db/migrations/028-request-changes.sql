-- When what a connection's requests are made of last changed: an attempt from before was sent otherwise.
alter table webhook_connections add column request_changed_on timestamptz not null default now();
update webhook_connections set request_changed_on = modified_on;

-- A trigger, so that it holds whoever changes a connection. Whoever only seals a value anew modifies nothing.
create function note_request_change() returns trigger language plpgsql as $$
begin
  new.request_changed_on = now();
  return new;
end
$$;
create trigger webhook_connection_request_changed before update on webhook_connections
  for each row when (
    old.modified_on is distinct from new.modified_on
      and (old.url, old.secret, old.api_key, old.headers) is distinct from (new.url, new.secret, new.api_key, new.headers)
  ) execute function note_request_change();
