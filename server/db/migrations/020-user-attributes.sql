-- What a tenant has its Users say beyond their own fields: [{ Name, Type, Description }], and each User's values by Name.
alter table tenants add user_attributes jsonb not null default '[]';
alter table users add attributes jsonb not null default '{}';
