-- A key is published while a client or an API uses its algorithm, and until the last token signed with it has expired.
alter table signing_keys add column used_on timestamptz; -- up to an hour before the last use; null: not published

-- Runs in the transaction of the change, so a key is published before it signs. The hour avoids most updates.
create function publish_signing_keys() returns trigger language plpgsql as $$
begin
  update signing_keys set used_on = now()
  where (used_on is null or used_on < now() - interval '1 hour')
    and alg in (
      select value from unnest(array[to_jsonb(old), to_jsonb(new)]) as settings, jsonb_each_text(settings)
      where key like '%\_alg');
  if found then
    perform pg_notify('gatehouse_signing_keys', '');
  end if;
  return null;
end
$$;
create trigger credentials_publish_keys after insert or update or delete on credentials
  for each row execute function publish_signing_keys();
create trigger apis_publish_keys after insert or update or delete on apis
  for each row execute function publish_signing_keys();
