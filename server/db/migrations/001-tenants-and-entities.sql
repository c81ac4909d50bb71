create table tenants (
  id uuid primary key,
  name text not null constraint tenants_name_key unique,
  created_on timestamptz not null default now()
);

create table users (
  id integer generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  username text,
  email text,
  mobile_phone text,
  external_id text,
  last_login timestamptz,
  is_active boolean not null default false,
  created_on timestamptz not null default now(),
  created_by_type text,
  created_by_id bigint,
  modified_on timestamptz,
  modified_by_type text,
  modified_by_id bigint,
  constraint users_external_id_key unique (tenant_id, external_id)
);
create index users_username on users (tenant_id, username);

create table passwords (
  user_id integer primary key references users on delete cascade,
  -- argon2id, with its parameters and salt in the text
  hash text not null,
  changed_on timestamptz not null default now()
);

create table applications (
  id bigint generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  application_key text,
  external_id text,
  description text,
  web_site_url text,
  is_system boolean not null default false,
  is_end_user boolean not null default false,
  is_active boolean not null default false,
  parent_id bigint references applications,
  created_on timestamptz not null default now(),
  created_by_type text,
  created_by_id bigint,
  modified_on timestamptz,
  modified_by_type text,
  modified_by_id bigint,
  constraint applications_name_key unique (tenant_id, name),
  constraint applications_application_key_key unique (tenant_id, application_key),
  constraint applications_external_id_key unique (tenant_id, external_id)
);
create index applications_parent on applications (parent_id);
