-- The contents of the events of a connection.

alter table webhook_connections
  add column fields text[], -- null: all
  add column changed_fields boolean not null default false,
  add column previous boolean not null default false;

-- Stored with each delivery, so that every attempt sends the same bytes. Null: the event's payload as it is.
create function delivery_form(c webhook_connections) returns jsonb language sql stable as $$
  select nullif(jsonb_strip_nulls(jsonb_build_object('fields', to_jsonb(c.fields),
    'changed', nullif(c.changed_fields, false), 'previous', nullif(c.previous, false))), '{}')
$$;
