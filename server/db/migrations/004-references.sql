-- Who created or changed a record, as an AbstractLong.
create function actor_reference(actor_type text, actor_id bigint) returns json language sql stable as $$
  select case actor_type
    when 'User' then (
      select json_build_object('Id', id, 'ExternalId', coalesce(external_id, ''), 'Name', coalesce(name, ''), 'Type', 'User')
      from users where id = actor_id)
    when 'Application' then (
      select json_build_object('Id', id, 'ExternalId', coalesce(external_id, ''), 'Name', coalesce(name, ''), 'Type', 'Application')
      from applications where id = actor_id)
  end
$$;
