-- The whole schema, in the order of the rooms. Every row belongs to a tenant, by its column tenant_id or through its
-- parent, unless a comment says otherwise.
-- "Sealed" means encrypted with MASTER_KEY. A digest is a SHA-256 hash unless its comment says otherwise.
-- Each table has a primary key, which publications for logical replication need to update and delete rows.

-- # Platform

-- A UUIDv7 by PostgreSQL's clock, in microseconds, so that ids of all processes are in one order. The chain of the
-- audit log relies on it.
create function new_id() returns uuid language sql volatile parallel safe as $$
  select (lpad(to_hex(now.us / 1000), 12, '0') || '7' || lpad(to_hex(now.us % 1000 * 4096 / 1000), 3, '0')
    || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid
  from (select floor(extract(epoch from clock_timestamp()) * 1000000)::bigint as us) now
$$;

-- The lowest UUIDv7 of a moment. A retention of 36,500 days begins before 1970; then it is that of 1970, because a
-- negative time would give one of the highest ids.
create function lowest_id(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex(greatest(0, floor(extract(epoch from at) * 1000)::bigint)), 12, '0') || repeat('0', 20))::uuid
$$;

-- The activity log and the audit log are partitioned by the time in their ids, so that expired rows are dropped whole
-- (docs/decisions/0013-partitions.md). Their functions run with their owner's rights, for roles without DDL rights.

-- The start of the partition that has this moment: a day, or a month of the audit log, in UTC.
create function partition_start(parent text, at timestamptz) returns timestamptz language sql stable strict as $$
  select date_trunc(case parent when 'audit_log' then 'month' else 'day' end, at, 'UTC')
$$;

create function partition_end(parent text, at timestamptz) returns timestamptz language sql stable strict as $$
  select (partition_start(parent, at) at time zone 'UTC' + case parent when 'audit_log' then interval '1 month'
    else interval '1 day' end) at time zone 'UTC'
$$;

create function require_privilege(name text, privilege text) returns void language plpgsql as $$
begin
  if not has_table_privilege(session_user, name, privilege) then
    raise exception 'permission denied for table %', name using errcode = 'insufficient_privilege';
  end if;
end
$$;

-- Makes the partition that has this moment, and returns its name if it is new. Only ATTACH locks the parent, and that
-- lock lets changes pass.
create function make_partition(parent text, at timestamptz) returns text language plpgsql
security definer set search_path from current as $$
declare
  starts_on timestamptz := partition_start(parent, at);
  name text := parent || to_char(starts_on at time zone 'UTC', '_YYYYMMDD');
begin
  if to_regclass(name) is not null then
    return null;
  end if;
  -- By a role that may write there, one at a time.
  perform require_privilege(parent, 'INSERT'), pg_advisory_xact_lock(7203416);
  -- From the table, because to_regclass answers from this session's cache.
  if exists (select from pg_class where relname = name and relnamespace = current_schema()::regnamespace) then
    return null;
  end if;
  execute format('create table %I (like %I including defaults including constraints)', name, parent);
  if parent = 'audit_log' then
    -- Statements on a partition do not fire the parent's trigger.
    execute format('create trigger audit_log_append_only before update or delete or truncate on %I '
      'for each statement execute function refuse_audit_change()', name);
    execute format('alter table %I enable always trigger audit_log_append_only', name);
  end if;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name,
    lowest_id(starts_on), lowest_id(partition_end(parent, starts_on)));
  return name;
end
$$;

-- The same for all days between two moments. Returns the new ones.
create function make_partitions(parents text[], since timestamptz, until timestamptz) returns setof text
language plpgsql as $$
declare
  parent text;
  at timestamptz;
begin
  foreach parent in array parents loop
    at := partition_start(parent, since);
    while at <= until loop
      return query select name from make_partition(parent, at) as name where name is not null;
      at := partition_end(parent, at);
    end loop;
  end loop;
end
$$;

-- Each process caches policies, role members, callers, clients and token grants, and drops a tenant's entries when it
-- is notified, whichever process made the change. The first argument names the cache. With 'clients only' as the
-- second, updates of applications without credentials are ignored.
create function announce() returns trigger language plpgsql as $$
declare
  tenant uuid;
begin
  if tg_table_name = 'tenants' then
    tenant := new.id;
  elsif tg_table_name in ('credentials', 'client_secrets') then
    select tenant_id into tenant from applications where id = coalesce(new.application_id, old.application_id);
  elsif tg_argv[1] = 'clients only' and tg_op = 'UPDATE' then
    select old.tenant_id into tenant where exists (select from credentials where application_id = old.id);
  else
    tenant := coalesce(new.tenant_id, old.tenant_id);
  end if;
  if tenant is not null then
    perform pg_notify('gatehouse_access', tg_argv[0] || ' ' || tenant);
  end if;
  return null;
end
$$;

-- # Tenants

create table tenants (
  id uuid primary key,
  name text not null constraint tenants_name_key unique,
  -- Definitions of the tenant's own User attributes: [{ Name, Type, Description }].
  user_attributes jsonb not null default '[]',

  -- Required: every user needs two factors to sign in.
  second_factor text not null default 'Optional' check (second_factor in ('Optional', 'Required')),
  -- For all users; roles may require passkeys of their users.
  passkeys text not null default 'Optional', -- Optional, Encouraged or Required
  passkeys_required_from timestamptz, -- null: at once
  passkey_models text[] not null default '{}', -- AAGUIDs; empty: every model
  keep_signed_in text not null default 'Off',
  new_device_mail text not null default 'Off',
  -- Whether setting a forgotten password ends the user's sessions and refresh tokens.
  sessions_after_reset text not null default 'End',
  sign_up text not null default 'Off',
  sign_up_domains text[] not null default '{}',
  consent_text text,
  terms_uri text,
  privacy_uri text,

  -- The client of the Settings console. Created with the tenant and never replaced.
  settings_client_id bigint,
  client_registration text not null default 'Off'
    check (client_registration in ('Off', 'InitialAccessToken', 'Open')),
  -- Whether a client_id may be the URL of a client ID metadata document.
  client_id_metadata_documents text not null default 'Off' check (client_id_metadata_documents in ('Off', 'On')),
  registration_scopes text[] not null default '{openid,profile,name,email,address,phone}',
  -- The key of pairwise subjects. Sealed; created at the first use and never replaced, because a new key would change
  -- every pairwise sub.
  subject_key bytea,

  -- The face of the tenant's pages and mails. Images are PNGs as `data:` addresses. null: the installation's.
  display_name text,
  reply_to text, -- the address for replies to its mails
  welcome text,
  logo text,
  dark_logo text,
  favicon text,
  accent text,
  dark_accent text,
  background text,
  dark_background text,
  help_uri text,
  -- The language of pages and mails for people whose own language is unknown, and texts that replace those of the
  -- catalogue.
  language text not null default 'en',
  texts jsonb not null default '[]',

  -- The kinds of alerts that are mailed to administrators, and their addresses.
  alert_mail_kinds text[] not null default '{}',
  alert_mail_to text[] not null default '{}',

  -- Limits over all processes (server/platform/limits). null: the installation's.
  max_records integer,
  max_connections integer,
  max_events_per_day integer,
  max_requests_per_second integer,
  max_storage_megabytes integer,
  -- Days for which the tenant's log is kept; null, or more than RETENTION: as long as the installation's.
  retention_days integer check (retention_days >= 1)
);
create trigger tenants_announce_clients after update on tenants
  for each row when (old.settings_client_id is distinct from new.settings_client_id
    or (old.language, old.texts) is distinct from (new.language, new.texts))
  execute function announce('clients');

-- Counts of each API process. A process writes only its own rows, so none is hot.
create table tenant_usage (
  tenant_id uuid not null references tenants,
  process_id uuid not null,
  day date not null, -- in UTC
  events bigint not null, -- of the day
  requests real not null, -- admitted per second
  peak real not null, -- the highest rate of all processes that it has seen within 10 minutes
  reported_on timestamptz not null default now(),
  primary key (tenant_id, process_id)
) with (fillfactor = 50);

-- By maintenance, and by processes that counted a tenant near its limit.
create table tenant_counts (
  tenant_id uuid primary key references tenants,
  records bigint not null default 0,
  bytes bigint not null default 0, -- of kept_days
  measured_on timestamptz not null default now()
);

create table branding_versions (
  tenant_id uuid not null references tenants,
  number integer not null,
  branding jsonb not null, -- by the names of the API
  changed text[] not null,
  saved_on timestamptz not null default now(), saved_by_type text, saved_by_id bigint,
  primary key (tenant_id, number)
);

-- External identity providers that a tenant's users can sign in with.
create table identity_providers (
  -- Not "always": the form shows the redirect URI, which contains the id, before the provider is saved.
  id bigint generated by default as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  external_id text,
  type text not null check (type in ('OpenIDConnect', 'OAuth2')),
  issuer text, -- OpenIDConnect needs issuer; OAuth2 needs the three endpoints
  metadata_uri text, -- null: below the issuer
  authorization_endpoint text,
  token_endpoint text,
  userinfo_endpoint text,
  -- Lists the user's addresses and whether each is verified, like GitHub's /user/emails; null: the mapping's claims
  -- count.
  emails_endpoint text,
  client_id text not null,
  client_secret bytea, -- sealed; null: a public client
  -- Null: chosen from the provider's metadata.
  token_endpoint_auth_method text
    check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'private_key_jwt')),
  client_key bytea, -- a sealed JWK; only for private_key_jwt
  id_token_alg text, -- HS256: signed by the client's secret; null: by a published key
  authorization_parameters jsonb not null default '{}', -- {"name": "value"}; added to the protocol's parameters
  scopes text[] not null,
  mapping jsonb not null, -- {"User field": "claim"}
  provisioning text not null check (provisioning in ('Create', 'LinkOnly')),
  -- Restrictions on the users that the provider may create; empty: none.
  allowed_domains text[] not null default '{}',
  allowed_tenants text[] not null default '{}',
  require_verified_email boolean not null default false,
  allow_local boolean not null,
  sign_out boolean not null default false, -- signing out here also signs the user out at the provider
  is_active boolean not null,
  constraint identity_providers_name_key unique (tenant_id, name),
  constraint identity_providers_external_id_key unique (tenant_id, external_id)
);

-- The namespace of a provider's subjects, as signin/upstream/configuration.ts has it. Links of a former one are not
-- valid.
create function authority_of(provider identity_providers) returns text language sql stable as $$
  select case when provider.type = 'OpenIDConnect' then concat_ws(' ', provider.issuer, provider.metadata_uri)
    else provider.userinfo_endpoint || '#' || coalesce(provider.mapping->>'Subject', 'sub') end
$$;

-- Whether the provider's users have its roles. If it has rules for new users, users who linked an account themselves
-- may not meet them.
create function gives_roles(provider identity_providers, provisioned boolean) returns boolean language sql stable as $$
  select provider.is_active and (provisioned or not (provider.require_verified_email
    or cardinality(provider.allowed_domains) > 0 or cardinality(provider.allowed_tenants) > 0))
$$;

create trigger identity_providers_announce_clients after update or delete on identity_providers
  for each row execute function announce('clients');
create trigger identity_providers_announce_roles after update on identity_providers
  for each row when ((authority_of(old), gives_roles(old, true), gives_roles(old, false))
    is distinct from (authority_of(new), gives_roles(new, true), gives_roles(new, false)))
  execute function announce('roles');

-- # Records: entities
-- Timestamps have millisecond precision, like the API, so a filter matches the value that the API returned.
-- sequence counts a record's changes and equals the webhook-sequence of its newest event.
-- search_text is the column that list searches read: the short text fields, one per line. Searching this one column
-- costs a quarter of searching each field.

-- A Search compares texts in this form: without case, width and accents, so that Jose finds José. Letters that Unicode
-- does not decompose are replaced by their usual spelling. It needs no extension, which a managed database may lack.
create function search_form(text text) returns text language sql immutable strict parallel safe as $$
  select replace(replace(replace(replace(translate(normalize(regexp_replace(
    lower(normalize(text, NFKD) collate "pg_c_utf8"),
    '[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u200B-\u200F\u2060\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F]+', '', 'g'), NFC),
    'øłđðħŧıς', 'olddhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
$$;

create table departments (
  id bigint generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  external_id text,
  description text,
  is_active boolean not null default false,
  parent_id bigint references departments,
  sequence bigint not null default 1,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
  search_text text not null generated always as (search_form(
    coalesce(name, '') || E'\n' || coalesce(external_id, ''))) stored,
  constraint departments_name_key unique (tenant_id, name),
  constraint departments_external_id_key unique (tenant_id, external_id)
);
create index departments_tenant on departments (tenant_id, id);
create index departments_parent on departments (parent_id);
create trigger departments_announce after update or delete on departments
  for each row execute function announce('principals');

-- The form in which usernames are compared. Width, case and composition of characters are ignored, as in RFC 8265's
-- UsernameCaseMapped. White space at the ends and invisible characters (Unicode's Default_Ignorable_Code_Point), which
-- UsernameCaseMapped rejects, are removed. NFKC maps more than widths, and upper() merges lower-case letters that share
-- a capital (σ and ς), so this form is never less strict than the RFC's.
create function username_key(username text) returns text language sql immutable strict parallel safe as $$
  select nullif(normalize(lower(normalize(upper(btrim(regexp_replace(normalize(username, NFKC),
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164'
      '\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+', '', 'g'),
    E' \t\r\n') collate "pg_c_utf8"), NFC)), NFC), '')
$$;

create table users (
  id integer generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  username text,
  username_key text generated always as (username_key(username)) stored,
  email text,
  email_verified boolean not null default false,
  mobile_phone text,
  mobile_phone_verified boolean not null default false,
  external_id text,
  -- Further standard claims (OpenID Connect Core 5.1).
  given_name text,
  family_name text,
  middle_name text,
  nickname text,
  locale text,
  zone_info text,
  picture text,
  profile text,
  website text,
  gender text,
  birth_date text,
  address text,
  attributes jsonb not null default '{}', -- keyed by Name in the tenant's user_attributes
  department_id bigint references departments,
  last_login timestamptz(3),
  is_active boolean not null default false,
  sequence bigint not null default 1,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
  search_text text not null generated always as (search_form(
    coalesce(name, '') || E'\n' || coalesce(username, '') || E'\n' || coalesce(email, '') || E'\n' ||
    coalesce(mobile_phone, '') || E'\n' || coalesce(external_id, ''))) stored,
  constraint users_external_id_key unique (tenant_id, external_id)
);
create index users_tenant on users (tenant_id, id);
create index users_username on users (tenant_id, username);
-- Hashed because NFKC can expand a text, and an e-mail address can be long, beyond the size limit of an index entry.
create index users_username_key on users (tenant_id, md5(username_key));
create index users_email on users (tenant_id, md5(lower(email)));
create index users_department on users (department_id);
create trigger users_announce after update or delete on users
  for each row execute function announce('principals');

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
  authentication_id bigint references identity_providers, -- AuthenticationId: the provider that its users sign in with
  sequence bigint not null default 1,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
  search_text text not null generated always as (search_form(
    coalesce(name, '') || E'\n' || coalesce(application_key, '') || E'\n' || coalesce(external_id, '') || E'\n' ||
    coalesce(web_site_url, ''))) stored,
  constraint applications_name_key unique (tenant_id, name),
  constraint applications_application_key_key unique (tenant_id, application_key),
  constraint applications_external_id_key unique (tenant_id, external_id)
);
create index applications_tenant on applications (tenant_id, id);
create index applications_parent on applications (parent_id);
create index applications_authentication on applications (authentication_id);
create trigger applications_announce after update or delete on applications
  for each row execute function announce('principals', 'clients only');
create trigger applications_announce_client_update after update on applications
  for each row when ((old.name, old.web_site_url, old.is_active, old.authentication_id)
    is distinct from (new.name, new.web_site_url, new.is_active, new.authentication_id))
  execute function announce('clients');
create trigger applications_announce_client_delete after delete on applications
  for each row execute function announce('clients');

alter table tenants add constraint tenants_settings_client_id_fkey
  foreign key (settings_client_id) references applications;

create table groups (
  id bigint generated always as identity (start with 1001) primary key,
  tenant_id uuid not null references tenants,
  name text,
  external_id text,
  description text,
  sequence bigint not null default 1,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
  search_text text not null generated always as (search_form(
    coalesce(name, '') || E'\n' || coalesce(external_id, ''))) stored,
  constraint groups_name_key unique (tenant_id, name),
  constraint groups_external_id_key unique (tenant_id, external_id)
);
create index groups_tenant on groups (tenant_id, id);

create table group_members (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants,
  group_id bigint not null references groups on delete cascade,
  user_id integer references users on delete cascade,
  member_group_id bigint references groups on delete cascade,
  check (num_nonnulls(user_id, member_group_id) = 1),
  unique (group_id, user_id),
  unique (group_id, member_group_id)
);
create index group_members_user on group_members (user_id) where user_id is not null;
create index group_members_group on group_members (member_group_id) where member_group_id is not null;
create trigger group_members_announce after insert or update or delete on group_members
  for each row execute function announce('roles');

-- A group and all groups that contain it, with the length of the way to each. `union` ends it even in a circle.
create function groups_above(start bigint) returns table (id bigint, level integer) language sql stable as $$
  with recursive above (id, level) as (
    select start, 0
    union
    select m.group_id, a.level + 1 from above a join group_members m on m.member_group_id = a.id where a.level < 6
  ) select * from above
$$;

-- A group and all groups in it, each with the group that contains it.
create function groups_below(start bigint) returns table (id bigint, level integer, within bigint)
language sql stable as $$
  with recursive below (id, level, within) as (
    select start, 0, null::bigint
    union
    select m.member_group_id, b.level + 1, b.id from below b join group_members m on m.group_id = b.id
    where m.member_group_id is not null and b.level < 6
  ) select * from below
$$;

-- The groups that list a user, and those that contain them.
create function groups_of(person integer) returns setof bigint language sql stable as $$
  with recursive held (id) as (
    select group_id from group_members where user_id = person
    union
    select m.group_id from held h join group_members m on m.member_group_id = h.id
  ) select id from held
$$;

-- The creator or last editor of a record as an AbstractLong. A deleted actor keeps its Id and Type.
create function actor_reference(actor_type text, actor_id bigint) returns json language sql stable as $$
  select case actor_type
    when 'User' then (
      select json_build_object('Id', actor_id, 'ExternalId', coalesce(u.external_id, ''), 'Name', coalesce(u.name, ''),
        'Type', 'User')
      from (select) as one left join users u on u.id = actor_id)
    when 'Application' then (
      select json_build_object('Id', actor_id, 'ExternalId', coalesce(a.external_id, ''), 'Name', coalesce(a.name, ''),
        'Type', 'Application')
      from (select) as one left join applications a on a.id = actor_id)
  end
$$;

-- # Records: access

create table policies (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  description text not null default '',
  policy text not null, -- Cedar
  created_on timestamptz not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz not null default now(), modified_by_type text, modified_by_id bigint,
  constraint policies_name_key unique (tenant_id, name)
);
create trigger policies_announce after insert or update or delete on policies
  for each row execute function announce('policies');

-- The last 50 texts of each policy.
create table policy_versions (
  tenant_id uuid not null references tenants,
  policy_id uuid not null references policies on delete cascade,
  number integer not null,
  policy text not null, -- Cedar
  saved_on timestamptz not null, saved_by_type text, saved_by_id bigint,
  primary key (policy_id, number)
);

create function keep_policy_version() returns trigger language plpgsql as $$
declare
  last integer := coalesce((select max(number) from policy_versions where policy_id = new.id), 0);
begin
  if tg_op = 'UPDATE' and new.policy = old.policy then
    return null;
  end if;
  insert into policy_versions (tenant_id, policy_id, number, policy, saved_on, saved_by_type, saved_by_id)
  values (new.tenant_id, new.id, last + 1, new.policy, new.modified_on, new.modified_by_type, new.modified_by_id);
  delete from policy_versions where policy_id = new.id and number <= last + 1 - 50;
  return null;
end
$$;
create trigger policies_keep_version after insert or update on policies
  for each row execute function keep_policy_version();

-- A role has listed members, and may also be a role of every User, or of every User who is linked to an identity
-- provider.
create table roles (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  description text not null,
  scopes text[] not null,
  all_users boolean not null default false,
  identity_provider_id bigint references identity_providers,
  requires_passkey boolean not null default false,
  created_on timestamptz not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz not null default now(), modified_by_type text, modified_by_id bigint,
  constraint roles_name_key unique (tenant_id, name)
);
-- Separate from 'principals', which change with every sign-in, because a policy may read the roles of any record.
create trigger roles_announce after insert or update or delete on roles
  for each row execute function announce('roles');

create table role_members (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants,
  role_id uuid not null references roles on delete cascade,
  user_id integer references users on delete cascade,
  application_id bigint references applications on delete cascade,
  group_id bigint references groups on delete cascade,
  check (num_nonnulls(user_id, application_id, group_id) = 1),
  unique (role_id, user_id),
  unique (role_id, application_id),
  unique (role_id, group_id)
);
create index role_members_user on role_members (user_id) where user_id is not null;
create index role_members_application on role_members (application_id) where application_id is not null;
create index role_members_group on role_members (group_id) where group_id is not null;
create trigger role_members_announce after insert or update or delete on role_members
  for each row execute function announce('roles');

-- # Records: audit

-- Sign-ins and changes of credentials and settings, with actor and address. Rows outlive their subjects.
create table audit_log (
  tenant_id uuid not null,
  id uuid not null,
  occurred_on timestamptz not null default clock_timestamp(),
  kind text not null,
  outcome text not null check (outcome in ('Success', 'Failure')),
  actor_type text, -- User or Application; null: not authenticated
  actor_id bigint,
  client_id bigint, -- the application that acted, or on whose behalf
  -- In the clear only for an Application. Otherwise empty, so that they can be removed from the append-only log.
  address text not null,
  user_agent text not null,
  sealed bytea, -- both as JSON, sealed by the personal key of the acting User, or else of the affected one
  subject_type text, -- the subject's type, as named in the API
  subject_id text,
  details jsonb not null, -- never secrets or personal data
  request_key text not null,
  primary key (tenant_id, id)
) partition by range (id);
create index audit_log_kind on audit_log (tenant_id, kind, id);
create index audit_log_actor on audit_log (tenant_id, actor_type, actor_id, id);
create index audit_log_subject on audit_log (tenant_id, subject_type, subject_id, id);
create index audit_log_failure on audit_log (tenant_id, id) where outcome = 'Failure';
create index audit_log_request on audit_log (tenant_id, request_key, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only: % is refused', tg_op using errcode = 'insufficient_privilege';
end
$$;
-- "enable always": also fires in sessions with session_replication_role = replica.
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
alter table audit_log enable always trigger audit_log_append_only;

-- Destroying a person's key removes the person's addresses and user agents from every entry at once. A row has no
-- reference to its User, because the key outlives a deleted User.
create table personal_keys (
  tenant_id uuid not null references tenants,
  user_id integer not null,
  key bytea not null default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
  primary key (tenant_id, user_id)
);

create function make_personal_key() returns trigger language plpgsql as $$
begin
  insert into personal_keys (tenant_id, user_id) values (new.tenant_id, new.id);
  return null;
end
$$;
create trigger users_personal_key after insert on users for each row execute function make_personal_key();

-- The person of an entry. Null: no User.
create function person_of(actor_type text, actor_id bigint, subject_type text, subject_id text)
returns integer language sql immutable parallel safe as $$
  select case when actor_type = 'User' then actor_id::integer
    when subject_type = 'User' then subject_id::integer end
$$;

-- Addresses and user agents of unauthenticated callers, in entries about no User. Maintenance removes them.
create table audit_places (
  tenant_id uuid not null,
  entry_id uuid not null, -- in audit_log
  address text not null,
  user_agent text not null,
  expires_on timestamptz not null,
  primary key (tenant_id, entry_id)
);
create index audit_places_expiry on audit_places (expires_on);

-- The audit log as a chain of hashes, so that a removed, altered or added entry shows (docs/audit.md). One row for each
-- entry of all tenants, in the order of their ids, written by a worker some seconds after the entry.
create table audit_chain (
  entry_id uuid primary key, -- in audit_log
  tenant_id uuid not null,
  position bigint not null, -- from 1, without gaps
  hash bytea not null -- SHA-256 of the hash before and of the entry's columns
);

-- # Records: events

-- No foreign key: each would be checked for each change, and a partition with one could not be dropped by itself.
create table events (
  id uuid primary key,
  tenant_id uuid not null,
  -- In commit order per record, because a change keeps its record locked until it commits.
  position bigint generated always as identity,
  event_record text not null,
  event_type text not null check (event_type in ('Created', 'Updated', 'Deleted', 'Erased', 'Ping')),
  record_id text not null,
  -- The records' sequences, in the payload's order; null: a ping, which has no record.
  sequences bigint[],
  occurred_on timestamptz not null, -- by the API's clock, as in the payload; its id has the same time
  -- By PostgreSQL's clock, like webhook_connection_changes.changed_on.
  recorded_on timestamptz not null default clock_timestamp(),
  written_by xid8 not null default pg_current_xact_id(), -- for streams, which send each event once it is committed
  -- W3C Trace Context of the request that caused the event. Its attempts belong to the same trace.
  trace_parent text,
  withheld uuid[], -- the connections whose filter did not match
  payload_erased_on timestamptz -- null: a payload that is gone was removed after PAYLOAD_RETENTION
) partition by range (id);
create index events_tenant on events (tenant_id, id);
-- NULLS LAST: lists that order so can use no other index, whatever the planner guesses, so a page of rare rows is found
-- without reading the others.
create index events_kind on events (tenant_id, event_record, event_type, id desc nulls last);
-- The history of one record: events of that record alone, and bulk events that contain it.
create index events_record on events (tenant_id, record_id, id) where strpos(record_id, ',') = 0;
create index events_members on events using gin (string_to_array(record_id, ',')) where strpos(record_id, ',') > 0;

-- Removed after PAYLOAD_RETENTION.
create table payloads (
  event_id uuid primary key,
  payload text not null, -- the exact text that is signed and posted, so that every attempt sends the same bytes
  previous text -- the former values of the fields that an Updated has changed, as compact JSON in the form of Data
) partition by range (event_id);

-- The outbox: a row exists from the transaction of the change until its workflow has started. It has what a workflow's
-- start needs, so that no partition is searched for it.
create table dispatches (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  event_id uuid not null,
  part smallint not null,
  event_record text not null,
  event_type text not null,
  record_id text not null,
  record_name text, -- null: of several records, of a User, or without Name
  trace_parent text,
  delivery_count integer not null default 0, -- of the part
  lease_until timestamptz not null default '-infinity',
  created_on timestamptz not null default now()
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index dispatches_tenant on dispatches (tenant_id, id);
create index dispatches_event on dispatches (event_id);

-- # Records: requests

-- Recent requests of clients, to look up by RequestKey. Bodies, query strings and path values are not stored.
-- Maintenance deletes rows older than a day or beyond a tenant's limit.
create table requests (
  tenant_id uuid not null references tenants,
  id uuid not null, -- a UUIDv7 with the time of arrival
  request_key text not null,
  -- W3C Trace Context of the request's own span, which its events carry; null: it cannot cause events.
  trace_parent text,
  method text not null,
  route text not null, -- the route's pattern
  status smallint not null,
  duration_ms real not null,
  client_id bigint not null,
  -- Requests of the tenant dropped before this one because of the limit.
  omitted integer not null,
  primary key (tenant_id, id)
);
create index requests_key on requests (tenant_id, request_key);
create index requests_trace on requests (tenant_id, trace_parent) where trace_parent is not null;
create index requests_failed on requests (tenant_id, id) where status >= 400;

-- Requests with an Idempotency-Key. A row is kept for a day.
create table idempotency_keys (
  tenant_id uuid not null references tenants,
  caller text not null, -- the client, and the user if there is one
  digest bytea not null, -- of the key
  fingerprint bytea not null, -- of the request
  reservation uuid not null, -- of the process that carries it out
  started_on timestamptz not null default now(),
  lease_until timestamptz not null, -- the request is in progress until then
  done_on timestamptz, -- set in the transaction of the change
  record_ids jsonb, -- of the changed records, for a lost answer
  answer bytea, -- sealed, with the decisions of policies that it depends on; null: none yet, or it is lost
  primary key (tenant_id, caller, digest)
);
create index idempotency_keys_started on idempotency_keys (started_on);

-- In the transaction of the change. After a pause of its process, a second process may have carried out the request.
create function finish_keyed(
  of_tenant uuid, of_caller text, of_digest bytea, own_reservation uuid, ids jsonb
) returns void language plpgsql as $$
begin
  update idempotency_keys set done_on = now(), record_ids = ids
  where tenant_id = of_tenant and caller = of_caller and digest = of_digest and reservation = own_reservation;
  if not found then
    raise exception 'the request is carried out by another process'
      using errcode = 'unique_violation', constraint = 'idempotency_keys_reservation', table = 'idempotency_keys';
  end if;
end
$$;

-- # Webhooks: connections

create table webhook_connections (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text,
  description text,
  kind text not null default 'Push', -- Pull: it has no address; deliveries are Held until a consumer acknowledges them
  url text not null,
  entities text[] not null,
  events text[] not null,
  -- AuditEvent is or was among the entities, so deliveries of entries may be stored for it. Set by each save.
  receives_audit boolean not null default false,
  filter text, -- Cedar: decides which changes are sent
  filter_reads jsonb, -- the attributes that the filter reads, by kind of record, with their types

  -- The contents of its events.
  fields text[], -- null: all
  changed_fields boolean not null default false,
  previous boolean not null default false,
  compression text not null default 'None', -- of its posts: None or gzip
  headers bytea, -- additional headers as a JSON object, sealed; null: none

  secret bytea, -- sealed; null: requests are not signed
  api_key bytea not null, -- sealed
  sign_by_key boolean not null default false, -- with a JWT, signed by a published key of the issuer
  staged_secret bytea, -- a new secret, sealed, not yet confirmed by a ping
  staged_on timestamptz,
  staged_overlap_seconds integer, -- how long the former secret keeps signing after the new one is confirmed
  staged_event_id uuid, -- the confirming ping; null: not sent yet
  former_secret bytea, -- the previous secret, sealed; signs beside the current one until former_until
  former_until timestamptz,

  timeout_ms integer, -- milliseconds per attempt; null: WEBHOOK_TIMEOUT
  -- Record: at most one delivery of a record at a time, in commit order.
  order_by text not null check (order_by in ('None', 'Record')),
  rate_per_second smallint check (rate_per_second between 1 and 1000),
  max_in_flight smallint check (max_in_flight between 1 and 64),
  hold_after smallint check (hold_after between 1 and 1000), -- exhausted in a row; null: WEBHOOK_HOLD_AFTER
  -- All deliveries go through the connection's queue.
  governed boolean not null
    generated always as (order_by <> 'None' or rate_per_second is not null or max_in_flight is not null) stored,
  next_post_on timestamptz not null default 'epoch', -- earliest next post under the rate limit

  leased_until timestamptz, -- until then no other consumer gets the events up to leased_upto
  leased_upto bigint not null default 0,
  acknowledged_upto bigint not null default 0, -- the last acknowledged position

  state text not null check (state in ('Active', 'Held', 'Paused')),
  exhausted_run integer not null default 0, -- consecutive exhausted deliveries
  held_on timestamptz,
  held_reason text,
  probes integer not null default 0, -- probes sent since it was held
  next_probe_on timestamptz,
  -- A worker checks the probing workflow again after this time; infinity: no probing.
  probe_lease_until timestamptz not null default 'infinity',
  draining boolean not null default false, -- a Drain is running: new events queue behind the held deliveries
  -- The connection is deleted, but not all of its open deliveries are cancelled yet.
  clearing boolean not null default false,

  created_on timestamptz not null default now(),
  modified_on timestamptz not null default now(),
  -- When URL, secret, API key or headers last changed. Earlier attempts were sent with the old values.
  request_changed_on timestamptz not null default now(),
  deleted_on timestamptz -- a soft delete: the activity log still refers to the row
);
create index webhook_connections_tenant on webhook_connections (tenant_id) where deleted_on is null;
create unique index webhook_connections_name_key on webhook_connections (tenant_id, name) where deleted_on is null;
create index webhook_connections_probe on webhook_connections (probe_lease_until) where probe_lease_until < 'infinity';
create index webhook_connections_clearing on webhook_connections (id) where clearing;

-- Stored with each delivery, so that every attempt sends the same bytes. Null: the event's payload as it is.
create function delivery_form(c webhook_connections) returns jsonb language sql stable as $$
  select nullif(jsonb_strip_nulls(jsonb_build_object('fields', to_jsonb(c.fields),
    'changed', nullif(c.changed_fields, false), 'previous', nullif(c.previous, false))), '{}')
$$;

-- Resealing a value leaves modified_on unchanged and is not a change of the request.
create function note_request_change() returns trigger language plpgsql as $$
begin
  new.request_changed_on = now();
  return new;
end
$$;
create trigger webhook_connection_request_changed before update on webhook_connections
  for each row when (
    old.modified_on is distinct from new.modified_on
      and (old.url, old.secret, old.api_key, old.headers)
        is distinct from (new.url, new.secret, new.api_key, new.headers)
  ) execute function note_request_change();

-- The history of a connection's subscription and state. It explains why an event was or was not delivered.
create table webhook_connection_changes (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  connection_id uuid not null references webhook_connections,
  entities text[] not null,
  events text[] not null,
  state text not null,
  held_reason text, -- reason while state is Held
  deleted boolean not null,
  changed_on timestamptz not null default clock_timestamp()
);
create index webhook_connection_changes_connection on webhook_connection_changes (connection_id, id);

create function record_connection_change() returns trigger language plpgsql as $$
begin
  insert into webhook_connection_changes (tenant_id, connection_id, entities, events, state, deleted, held_reason)
  values (new.tenant_id, new.id, new.entities, new.events, new.state, new.deleted_on is not null,
    new.held_reason);
  return null;
end
$$;
create trigger webhook_connection_made after insert on webhook_connections
  for each row execute function record_connection_change();
create trigger webhook_connection_changed after update on webhook_connections
  for each row when (
    (old.entities, old.events, old.state, old.deleted_on)
      is distinct from (new.entities, new.events, new.state, new.deleted_on)
  ) execute function record_connection_change();

-- The last check of each connection's receiver. A workflow does its steps.
create table receiver_checks (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  connection_id uuid not null unique references webhook_connections,
  sample json not null, -- the kind of change and the sample record that its calls have
  results jsonb not null default '{}', -- by step
  started_on timestamptz not null default now(),
  ended_on timestamptz, -- null: it is running
  lease_until timestamptz not null default '-infinity' -- a worker checks its workflow again after this time
);
create index receiver_checks_lease on receiver_checks (lease_until) where lease_until < 'infinity';
create index receiver_checks_tenant on receiver_checks (tenant_id);

-- # Webhooks: deliveries

create function record_key(event_record text, record_id text) returns uuid language sql immutable strict parallel safe
as $$ select md5(event_record || ' ' || record_id)::uuid $$;

-- PostgreSQL moves a row between the partitions when its state changes. Open deliveries are few and change often, so
-- they have the indexes of the queues; they are never dropped. Closed ones are many and are written once.
create table deliveries (
  id uuid not null,
  tenant_id uuid not null,
  event_id uuid not null,
  connection_id uuid not null,
  position bigint not null, -- of the event
  part integer not null, -- number of the event's workflow; a workflow has at most 500 deliveries
  record uuid, -- record_key() of the event's record; null: a bulk event
  is_ping boolean not null default false, -- a ping or test: excluded from figures, alerts and dead letters
  form jsonb, -- how its post differs from the event's payload; null: it does not
  state text not null check (state in ('Pending', 'Retrying', 'Delivered', 'Exhausted', 'Held', 'Cancelled')),
  -- Result of the last attempt in one word: a status, a network failure, or lost. Null: delivered, or no attempt yet.
  reason text,
  attempts smallint not null default 0,
  -- Attempts of earlier runs, which do not count towards the limit of this run.
  earlier_attempts smallint not null default 0,
  -- The number of attempts at each redelivery; later attempts belong to the next run.
  redelivered_after smallint[] not null default '{}',
  redelivery_id uuid, -- the bulk redelivery that sends it; null once counted there
  -- Set while an attempt is running. If the next attempt finds it set, the worker died.
  attempt_started_on timestamptz,
  attempt_opened_by uuid, -- identifies the opener, so a repeated call finds its own attempt
  retry_on timestamptz, -- while Retrying: the earliest time of the next attempt
  -- Earliest post from the connection's queue. Null: not queued, its event's workflow sends it.
  due_on timestamptz,
  begun_on timestamptz, -- when a workflow of its own got it, or max_in_flight counted it
  -- When a consumer was last given it; null: none was, or it was sent again since.
  leased_on timestamptz,
  changed_on timestamptz not null default now()
) partition by list (state);

create table deliveries_open partition of deliveries (constraint deliveries_open_id primary key (id))
  for values in ('Pending', 'Retrying', 'Held')
  with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000);
create index deliveries_open_event on deliveries_open (event_id);
-- For the reconciler: deliveries unchanged for long. With few open rows the planner rates all partial indexes alike,
-- and statistics lag behind a burst. Queries that serve no queue therefore select their index by its "is not null"
-- condition.
create index deliveries_open_changed on deliveries_open (changed_on)
  where state in ('Pending', 'Retrying') and changed_on is not null;
-- A connection's held deliveries, and its queue.
create index deliveries_held on deliveries_open (connection_id, position) where state = 'Held';
create index deliveries_queue_waiting on deliveries_open (connection_id, position)
  where due_on is not null and begun_on is null and state in ('Pending', 'Retrying');
create index deliveries_queue_record on deliveries_open (connection_id, record, position)
  where due_on is not null and begun_on is null and state in ('Pending', 'Retrying');
create index deliveries_held_record on deliveries_open (connection_id, record, position) where state = 'Held';
-- For the limit of deliveries in flight.
create index deliveries_begun on deliveries_open (connection_id)
  where begun_on is not null and state in ('Pending', 'Retrying');
-- Deliveries in flight or about to start. Ordered connections allow one per record.
create index deliveries_under_way on deliveries_open (connection_id, record)
  where (due_on is null or begun_on is not null) and state in ('Pending', 'Retrying');
-- For metrics: number and age of open deliveries. Event ids sort by time.
create index deliveries_backlog on deliveries_open (state, event_id)
  where state in ('Pending', 'Retrying') and event_id is not null;
-- For the Settings console: waiting deliveries with the oldest first, and state changes by time.
create index deliveries_waiting on deliveries_open (tenant_id, connection_id, event_id) where event_id is not null;
create index deliveries_open_since on deliveries_open (tenant_id, changed_on) include (state, connection_id)
  where not is_ping;
create index deliveries_open_redelivery on deliveries_open (redelivery_id) where redelivery_id is not null;

create table deliveries_closed partition of deliveries (primary key (event_id, id))
  for values in ('Delivered', 'Exhausted', 'Cancelled') partition by range (event_id);
create index deliveries_closed_connection on deliveries_closed (connection_id, position);
-- For lists by connection.
create index deliveries_closed_event on deliveries_closed (connection_id, event_id desc nulls last);
-- Not delivered at the first attempt: for dead letters, a connection's recent failures, and lists by state.
create index deliveries_troubled on deliveries_closed (tenant_id, connection_id, event_id desc nulls last, state)
  include (reason, is_ping) where state <> 'Delivered' or attempts > 1 or redelivered_after <> '{}';
-- For figures of a connection, and of a tenant's connections one after the other.
create index deliveries_changed on deliveries_closed (tenant_id, connection_id, changed_on) include (state)
  where not is_ping;
create index deliveries_closed_redelivery on deliveries_closed (redelivery_id) where redelivery_id is not null;

-- Final states that a delivery left when it was redelivered, drained, probed or cancelled. Hourly figures count these
-- too, so past hours do not change.
create table former_outcomes (
  id bigint generated always as identity,
  tenant_id uuid not null,
  event_id uuid not null,
  delivery_id uuid not null,
  connection_id uuid not null,
  state text not null check (state in ('Delivered', 'Exhausted', 'Held', 'Cancelled')),
  reason text,
  reached_on timestamptz not null,
  redelivery_id uuid, -- the bulk redelivery that resumed it
  primary key (event_id, delivery_id, id)
) partition by range (event_id);
create index former_outcomes_reached on former_outcomes (tenant_id, reached_on) include (state, connection_id);
create index former_outcomes_redelivery on former_outcomes (redelivery_id, id) where redelivery_id is not null;

-- BEFORE, because an AFTER trigger does not see that a row has moved to another partition.
create function keep_former_outcome() returns trigger language plpgsql as $$
begin
  -- An acknowledged delivery was not held back.
  if old.state = 'Held' and new.state = 'Delivered' and new.leased_on is not null then return new; end if;
  insert into former_outcomes (tenant_id, event_id, delivery_id, connection_id, state, reason, reached_on, redelivery_id)
  values (old.tenant_id, old.event_id, old.id, old.connection_id, old.state, old.reason, old.changed_on,
    case when new.state = 'Pending' then new.redelivery_id end);
  return new;
end
$$;
create trigger deliveries_keep_former_outcome before update on deliveries
  for each row when (
    old.state in ('Delivered', 'Exhausted', 'Held', 'Cancelled') and new.state <> old.state and not old.is_ping
  ) execute function keep_former_outcome();

create table attempts (
  event_id uuid not null,
  delivery_id uuid not null,
  number smallint not null,
  started_on timestamptz not null,
  duration_ms integer not null,
  status_code smallint,
  failure text, -- the network failure in one word; null: the receiver answered
  failed_to uuid, -- connection of a failed attempt; null: delivered, interrupted, or a ping
  primary key (event_id, delivery_id, number)
) partition by range (event_id);
create index attempts_failed on attempts (failed_to, started_on) where failed_to is not null;
-- For alerts: which connections have failed recently, without a search for each of them in each partition.
create index attempts_failed_since on attempts (started_on) include (failed_to, delivery_id) where failed_to is not null;

-- Answers of receivers. Removed after PAYLOAD_RETENTION.
create table responses (
  event_id uuid not null,
  delivery_id uuid not null,
  number smallint not null,
  headers text,
  body text,
  primary key (event_id, delivery_id, number)
) partition by range (event_id);

-- The last number of each record that was sent to an ordered connection with a filter.
create table sent_sequences (
  connection_id uuid not null references webhook_connections,
  record uuid not null, -- by record_key
  sequence bigint not null,
  primary key (connection_id, record)
);

-- The event at which the filter of a connection failed first, since it was set. A row of its own, because concurrent
-- changes hold a shared lock on the connection.
create table failed_filters (
  connection_id uuid primary key references webhook_connections,
  tenant_id uuid not null,
  event_id uuid not null
);

-- Belongs to the installation: why a worker cannot start deliveries. Every process reports it in /readyz. A row expires
-- after a minute.
create table delivery_troubles (
  worker_id uuid primary key,
  reason text not null,
  noticed_on timestamptz not null default now()
);

-- Belongs to the installation: the delivery windows of each worker (docs/windows.md), for display only. Rows expire
-- after seconds, so losing them in a crash is harmless.
create unlogged table worker_windows (
  worker_id uuid primary key,
  windows jsonb not null, -- keyed by connection
  seen_on timestamptz not null default now()
);

-- # Webhooks: figures, redelivery and alerts

-- Outcomes of deliveries by the hour, counted once after its end: a page does not count the deliveries of a day again.
create table outcome_hours (
  tenant_id uuid not null references tenants,
  hour timestamptz not null, -- its start, in UTC
  connection_id uuid not null,
  state text not null check (state in ('Delivered', 'Exhausted', 'Cancelled')),
  count bigint not null,
  primary key (tenant_id, connection_id, hour, state)
);

-- The hours that are counted, without gaps. A tenant with few deliveries has none.
create table counted_outcomes (
  tenant_id uuid primary key references tenants,
  counted_from timestamptz not null,
  counted_until timestamptz not null
);

-- Bulk redeliveries: the request and its progress. A workflow does the work.
create table redeliveries (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  connection_id uuid not null references webhook_connections,
  -- Replay: final deliveries, requested by a person. Drain: everything that the connection has held back.
  kind text not null check (kind in ('Replay', 'Drain')),
  state text not null default 'Running' check (state in ('Running', 'Paused', 'Completed', 'Cancelled')),
  from_time timestamptz, -- range of event times of a Replay
  to_time timestamptz,
  delivery_states text[] not null,
  rate smallint not null, -- deliveries per second
  next_on timestamptz not null default 'epoch', -- earliest next delivery under the rate
  last_position bigint not null default 0, -- position of the last event processed by a Replay
  end_position bigint not null default 0, -- position of the last event in the range
  as_of timestamptz, -- a Replay ignores deliveries that ended after this time
  total integer not null,
  done integer not null default 0,
  delivered integer not null default 0,
  exhausted integer not null default 0,
  skipped integer not null default 0, -- by a Replay, because their payloads were removed
  -- A worker checks the workflow again after this time; each new request resets it. Infinity: finished.
  lease_until timestamptz not null default '-infinity',
  created_on timestamptz not null default now(),
  ended_on timestamptz
);
create index redeliveries_tenant on redeliveries (tenant_id, id);
-- Two of a kind at once would interleave their deliveries.
create unique index redeliveries_open on redeliveries (connection_id, kind) where state in ('Running', 'Paused');
create index redeliveries_lease on redeliveries (lease_until) where lease_until < 'infinity';

-- Conditions that need attention. Detected by a worker, shown in the Settings console until they end or are
-- acknowledged.
create table alerts (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  kind text not null check (kind in ('ConnectionHeld', 'ErrorRate', 'Backlog', 'FailedSignIns', 'FailedLogouts',
    'NearLimit', 'MailHeld', 'SignUps', 'FilterFailed')),
  connection_id uuid references webhook_connections, -- null: not about a connection
  reason text not null, -- readable text, written when the alert was raised
  raised_on timestamptz not null default now(),
  ended_on timestamptz,
  acknowledged_on timestamptz,
  acknowledged_by_type text,
  acknowledged_by_id bigint,
  acknowledged_until timestamptz, -- null: until it ends
  sequence bigint not null default 1 -- number of published changes; the webhook-sequence of its events
);
create index alerts_tenant on alerts (tenant_id, id);
-- One open alert per kind and connection; tenant_id replaces a missing connection_id.
create unique index alerts_open on alerts (tenant_id, kind, coalesce(connection_id, tenant_id)) where ended_on is null;

-- # Identity: sign-in

create table passwords (
  user_id integer primary key references users on delete cascade,
  hash text not null, -- argon2id in PHC format: parameters, salt and hash; or as another system made it
  imported_on timestamptz, -- null: the password was set or used here, and the hash is argon2id of our own
  valid_until timestamptz -- of a weak imported hash
);

-- One-time links to set a password. A new link replaces the previous one.
create table password_resets (
  user_id integer not null references users on delete cascade,
  tenant_id uuid not null references tenants,
  -- Asked for by the person. It voids none that an administrator made.
  is_mailed boolean not null default false,
  digest bytea not null constraint password_resets_digest_key unique, -- of the token in the link
  address text, -- to which it was mailed; null: an administrator has it
  expires_on timestamptz not null,
  primary key (user_id, is_mailed)
);
create index password_resets_expiry on password_resets (expires_on);

-- One-time links in mails to users. Address: confirms that the user receives mail at the address, which becomes the
-- user's own. Alarm: "this was not me", after a change of a credential.
create table mailed_links (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  digest bytea not null constraint mailed_links_digest_key unique, -- of the token in the link
  purpose text not null check (purpose in ('Address', 'Alarm')),
  address text not null, -- where it was sent
  expires_on timestamptz not null
);
-- A new mail makes the link of the former one void. Alarms of several changes stay.
create unique index mailed_links_address on mailed_links (user_id) where purpose = 'Address';
create index mailed_links_user on mailed_links (tenant_id, user_id);
create index mailed_links_expiry on mailed_links (expires_on);

-- Links that were made before a change of what they are bound to are void.
create function void_links_of_user() returns trigger language plpgsql as $$
begin
  delete from password_resets where user_id = new.id and (address is not null or not new.is_active);
  delete from mailed_links where user_id = new.id and (purpose = 'Address' or not new.is_active);
  return null;
end
$$;
create trigger users_void_links after update of email, is_active on users
  for each row when (new.email is distinct from old.email or (old.is_active and not new.is_active))
  execute function void_links_of_user();

create function void_password_resets() returns trigger language plpgsql as $$
begin
  delete from password_resets where user_id = new.user_id;
  return null;
end
$$;
create trigger passwords_void_resets after insert or update on passwords
  for each row execute function void_password_resets();

-- Authenticator apps (RFC 6238).
create table totp_secrets (
  user_id integer primary key references users on delete cascade,
  tenant_id uuid not null references tenants,
  secret bytea not null, -- Base32, sealed
  last_step bigint not null, -- time step of the last accepted code; a code is accepted once (RFC 6238 5.2)
  -- The MAC key of the user's recovery codes. Sealed, so the digests stay valid when the master key changes.
  recovery_key bytea not null,
  created_on timestamptz not null default now()
);

create table recovery_codes (
  tenant_id uuid not null references tenants,
  user_id integer not null references totp_secrets on delete cascade,
  digest bytea not null, -- an HMAC: recovery codes are too short for a plain hash
  primary key (user_id, digest)
);

-- The `user.id` that authenticators store. Random for each user of each tenant: all tenants share one host, and an
-- equal id would replace another tenant's passkey in the authenticator.
create table passkey_handles (
  user_id integer primary key references users on delete cascade,
  tenant_id uuid not null references tenants,
  handle bytea not null,
  asked_on timestamptz -- the user did not want a passkey now
);

-- Public keys by which users sign in (WebAuthn Level 3).
create table passkeys (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  credential_id bytea not null constraint passkeys_credential_key unique, -- of all tenants, which share one host
  public_key bytea not null, -- COSE
  sign_count bigint not null, -- 0: the authenticator does not count
  transports text[] not null,
  aaguid uuid not null, -- the authenticator's model; zeros: not told
  is_synced boolean not null, -- the authenticator has a copy elsewhere
  name text not null,
  rp_id text not null, -- the host for which it was made
  created_on timestamptz not null default now(),
  last_used_on timestamptz
);
create index passkeys_user on passkeys (user_id);

-- Challenges of accepted passkeys, so each is accepted once.
create table used_challenges (
  digest bytea primary key,
  expires_on timestamptz not null
);
create index used_challenges_expiry on used_challenges (expires_on);

-- A signed-in browser.
create table sessions (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  digest bytea not null constraint sessions_digest_key unique, -- of the cookie's value
  identity_provider_id bigint references identity_providers on delete cascade, -- null: local sign-in
  id_token_hint bytea, -- the provider's id_token, sealed; kept only if signing out there needs it
  passkey_id uuid, -- with which the user has signed in; it may be removed
  auth_time timestamptz not null default now(),
  -- False: the provider reports no authentication time; auth_time is the time of its response.
  is_auth_time_known boolean not null default true,
  amr text[] not null, -- RFC 8176
  acr text not null,
  address text not null,
  user_agent text not null,
  -- The session outlives the browser, and does not end by a pause. null: the user is asked after the sign-in.
  is_kept boolean default false,
  created_on timestamptz not null default now(),
  finished_on timestamptz, -- the last factor was accepted; null: sign-in is not complete
  last_seen timestamptz not null default now(),
  expires_on timestamptz not null
);
create index sessions_user on sessions (tenant_id, user_id);
create index sessions_identity_provider on sessions (identity_provider_id);
create index sessions_expiry on sessions (expires_on);

-- Browsers and addresses from which a user has signed in. Failed attempts from elsewhere do not delay them.
create table known_devices (
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  digest bytea not null, -- of the cookie's value
  address text not null,
  last_seen timestamptz not null default now(),
  primary key (tenant_id, user_id, digest)
);
create index known_devices_age on known_devices (last_seen);

create table signin_failures (
  -- No reference: attempts for unknown tenants are throttled too.
  tenant_id uuid not null,
  key text not null, -- a hex digest of the counted subject: an account at one address, an address, or an account
  failures integer not null,
  last_on timestamptz not null,
  blocked_until timestamptz not null,
  -- The blocked_until already audited, so each block is logged once.
  audited_until timestamptz,
  primary key (tenant_id, key)
);
create index signin_failures_age on signin_failures (last_on);

-- A user's identity at a provider.
create table upstream_identities (
  tenant_id uuid not null references tenants,
  identity_provider_id bigint not null references identity_providers on delete cascade,
  -- Namespace of the subject, by authority_of(). After a change, former identities do not match.
  authority text not null,
  subject text not null,
  user_id integer not null references users on delete cascade,
  provisioned boolean not null, -- the provider created the user and updates its fields
  linked_on timestamptz not null default now(),
  primary key (tenant_id, identity_provider_id, authority, subject)
);
create index upstream_identities_user on upstream_identities (user_id);

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

-- A sign-in at a provider, from the redirect to the callback, including the password step of account linking.
create table upstream_attempts (
  digest bytea primary key, -- of state, or of the linking form's token
  tenant_id uuid not null references tenants,
  identity_provider_id bigint not null references identity_providers on delete cascade,
  browser bytea not null, -- digest of the cookie of the browser that started it
  network text not null, -- network that started it
  target text not null, -- path and query of the authorization request to resume
  max_age integer, -- seconds; 0: the user must sign in again
  identity jsonb, -- claims from the provider; null: no response yet
  -- The session that waits for the second factor before the account is linked.
  session_id uuid references sessions on delete cascade,
  started_on timestamptz not null default now(),
  used_on timestamptz, -- callback received; the row counts as an open attempt until a sign-in completes
  expires_on timestamptz not null
);
create index upstream_attempts_tenant on upstream_attempts (tenant_id, network);
-- For the search of an erasure, a part at a time.
create index upstream_attempts_started on upstream_attempts (tenant_id, digest);
create index upstream_attempts_session on upstream_attempts (session_id);
create index upstream_attempts_expiry on upstream_attempts (expires_on);

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

-- The passkey that a session lacks: use, one that the user has; add, one that the user must add; offer, one to be
-- offered after a password; null, nothing. An offer that was declined is repeated after 30 days.
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

-- The username of a user who can sign in is unique within the tenant. Other usernames may be shared.

-- Whether a User can sign in, or has a valid link to set a password.
create function can_sign_in(id integer) returns boolean language sql stable as $$
  select exists (select from passwords where user_id = id)
    or exists (select from totp_secrets where user_id = id)
    or exists (select from passkeys where user_id = can_sign_in.id)
    or exists (select from upstream_identities where user_id = id)
    or exists (select from password_resets where user_id = id and expires_on > now())
$$;

-- Transactions of one tenant that write a username or add a credential run one after the other. This is the lock of
-- server/records/entities/store.ts; a transaction that holds it does not wait here.
create function refuse_shared_username(tenant uuid, own_id integer, own_key text, signs_in boolean) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('users ' || tenant, 0));
  if exists (
    select from users u
    where u.tenant_id = tenant and md5(u.username_key) = md5(own_key) and u.username_key = own_key and u.id <> own_id
      and (signs_in or can_sign_in(own_id) or can_sign_in(u.id))
  ) then
    raise exception 'a Username of who can sign in would be shared'
      using errcode = 'unique_violation', constraint = 'users_username_own', table = 'users';
  end if;
end
$$;

create function own_username() returns trigger language plpgsql as $$
begin
  perform refuse_shared_username(new.tenant_id, new.id, new.username_key, false);
  return null;
end
$$;
create trigger users_username_own_inserted after insert on users
  for each row when (new.username_key is not null) execute function own_username();
create trigger users_username_own_changed after update of username on users
  for each row when (new.username_key is distinct from old.username_key and new.username_key is not null)
  execute function own_username();

-- Before insert: waits for the lock before the foreign key locks the user's row.
create function own_username_of_way_in() returns trigger language plpgsql as $$
declare
  tenant uuid;
  own_key text;
begin
  -- The username is already unique since the first password was set.
  if exists (select from passwords where user_id = new.user_id) then return new; end if;
  select tenant_id into tenant from users where id = new.user_id;
  perform pg_advisory_xact_lock(hashtextextended('users ' || tenant, 0));
  select username_key into own_key from users where id = new.user_id;
  if own_key is not null then perform refuse_shared_username(tenant, new.user_id, own_key, true); end if;
  return new;
end
$$;
create trigger passwords_username_own before insert on passwords
  for each row execute function own_username_of_way_in();
create trigger totp_secrets_username_own before insert on totp_secrets
  for each row execute function own_username_of_way_in();
create trigger passkeys_username_own before insert on passkeys
  for each row execute function own_username_of_way_in();
create trigger upstream_identities_username_own before insert on upstream_identities
  for each row execute function own_username_of_way_in();
create trigger password_resets_username_own before insert on password_resets
  for each row execute function own_username_of_way_in();

-- # Identity: sign-ups and invitations

-- People who make their own account. A row without a User has a mailed link; one with a User waits for an
-- administrator.
create table sign_ups (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants,
  email text not null,
  digest bytea constraint sign_ups_digest_key unique, -- of the token in the link; null: it was used
  user_id integer references users on delete cascade, -- inactive until an administrator activates it
  expires_on timestamptz not null,
  created_on timestamptz not null default now()
);
-- A new mail makes the link of the former one void.
create unique index sign_ups_open on sign_ups (tenant_id, lower(email)) where user_id is null;
create index sign_ups_user on sign_ups (tenant_id, user_id);
create index sign_ups_expiry on sign_ups (expires_on) where user_id is null;

create table invitations (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  email text not null,
  name text not null,
  roles text[] not null, -- names
  department_id bigint references departments on delete set null,
  state text not null check (state in ('Sent', 'Accepted', 'Revoked')), -- Sent and past expires_on: Expired
  digest bytea constraint invitations_digest_key unique, -- of the token in the last mail's link
  asked_digest bytea constraint invitations_asked_digest unique, -- of the link that the invited person asked for
  client_id bigint not null, -- of the last one who saved or sent it, who is judged again when it is accepted
  user_id integer, -- accepted by; a row outlives the User, as a log
  expires_on timestamptz(3) not null,
  sequence bigint not null,
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3) not null default now(), modified_by_type text, modified_by_id bigint
);
create unique index invitations_open on invitations (tenant_id, lower(email)) where state = 'Sent';
create index invitations_tenant on invitations (tenant_id, id);
create index invitations_user on invitations (tenant_id, user_id);
create index invitations_department on invitations (department_id);
create index invitations_expiry on invitations (expires_on);

-- Invitations of many people by a CSV file. A worker makes them; rows leave when they are made.
create table invitation_imports (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  state text not null default 'Running' check (state in ('Running', 'Paused', 'Completed', 'Cancelled')),
  total integer not null,
  done integer not null default 0, -- invited and skipped
  invited integer not null default 0,
  client_id bigint not null, -- judged, with the creator, when an invitation is accepted
  created_on timestamptz(3) not null default now(), created_by_type text not null, created_by_id bigint not null,
  ended_on timestamptz(3),
  lease_until timestamptz not null default '-infinity' -- the workflow need not be checked before then
);
create index invitation_imports_tenant on invitation_imports (tenant_id, id);
create index invitation_imports_due on invitation_imports (lease_until) where state = 'Running';

create table invitation_import_rows (
  import_id uuid not null references invitation_imports on delete cascade,
  number integer not null, -- of the line in the file
  email text not null,
  name text not null,
  roles text[] not null,
  department_id bigint,
  reason text, -- why it was skipped; null: it waits
  primary key (import_id, number)
);

-- # Identity: OAuth

-- Keys belong to the installation, not to a tenant. A key is published while a client or an API uses its algorithm, and
-- until the last token signed with it has expired. It signs from signs_from until the next key of its algorithm becomes
-- active.
create table signing_keys (
  kid text primary key,
  alg text not null,
  public_jwk jsonb not null,
  private_jwk bytea not null, -- sealed
  signs_from timestamptz not null,
  used_on timestamptz -- up to an hour before the last use; null: not published
);

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

-- The OAuth client settings of an Application. client_id is the Application's Id.
create table credentials (
  application_id bigint primary key references applications on delete cascade,
  client_type text not null default 'confidential' check (client_type in ('confidential', 'public', 'native')),
  grant_types text[] not null,
  response_types text[] not null default '{code,code id_token}',
  scopes text[] not null default '{}',
  redirect_uris text[] not null default '{}',
  post_logout_redirect_uris text[] not null default '{}',
  backchannel_logout_uri text, -- null: no logout notifications
  logout_token_type text not null default 'logout+jwt', -- the typ of logout tokens; empty: none
  -- Shown on the consent page.
  logo_uri text not null default '',
  policy_uri text not null default '',
  tos_uri text not null default '',
  -- First-party clients skip consent.
  first_party boolean not null default false,

  access_token_alg text not null default 'ES256' check (access_token_alg in ('RS256', 'ES256', 'EdDSA')),
  access_token_type text not null default 'at+jwt' check (access_token_type in ('at+jwt', 'JWT')),
  access_token_lifetime integer, -- seconds; null: TOKEN_LIFETIME
  refresh_token_lifetime integer, -- seconds since the grant; null: the default
  id_token_alg text not null default 'RS256' check (id_token_alg in ('RS256', 'ES256', 'EdDSA')),
  userinfo_alg text not null default '' check (userinfo_alg in ('', 'RS256', 'ES256', 'EdDSA')), -- '': plain JSON
  introspection_alg text not null default '' -- alg of JWT responses; '': the same as id_token_alg
    check (introspection_alg in ('', 'RS256', 'ES256', 'EdDSA')),
  -- id_token_claims: whether scope claims are also in the id_token. claim_mapping: additional claims, [{"Claim": …,
  -- "From": …}].
  id_token_claims boolean not null default false,
  claim_mapping jsonb not null default '[]',
  -- The kind of sub that the client receives (OIDC Core 8): the same for every client, or one per sector.
  subject_type text not null default 'public' check (subject_type in ('public', 'pairwise')),
  sector_identifier_uri text not null default '', -- '': the sector is the host of its redirect URIs

  -- Client authentication method; jwks and jwks_uri hold the public keys of private_key_jwt (RFC 7523). Null:
  -- client_type decides, either client_secret_basic or client_secret_post, or none.
  token_endpoint_auth_method text check (
    token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'tls_client_auth', 'none')),
  jwks jsonb, -- RFC 7517 5; public keys only
  jwks_uri text not null default '',
  -- The certificate field that identifies the client (RFC 8705 2.1.2), and its expected value.
  tls_client_auth_name text not null default 'SubjectDn'
    check (tls_client_auth_name in ('SubjectDn', 'SanDns', 'SanUri', 'SanIp', 'SanEmail')),
  tls_client_auth_value text not null default '',
  require_par boolean not null default false,
  require_signed_request_object boolean not null default false, -- RFC 9101 10.5
  security_profile text not null default 'None' check (security_profile in ('None', 'FAPI2')),
  dpop_bound boolean not null default false -- access tokens must be bound to a DPoP key (RFC 9449)
);
create trigger credentials_announce after update on credentials
  for each row when (old.scopes is distinct from new.scopes) execute function announce('principals');
create trigger credentials_announce_client after insert or update or delete on credentials
  for each row execute function announce('clients');
create trigger credentials_publish_keys after insert or update or delete on credentials
  for each row execute function publish_signing_keys();

-- The origins of a client's redirect URIs (RFC 6454 6.2), in lower case without a default port, as browsers send them.
-- Native apps may use any port of a loopback address (RFC 8252 7.3), shown as `*`.
create function redirect_origins(uris text[], client_type text) returns text[]
language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct case when client_type = 'native'
    then regexp_replace(origin, '^(http://(127\.0\.0\.1|\[::1\]|localhost))(:[0-9]+)?$', '\1:*') else origin end), '{}')
  from (
    select case when uri ~* '^https?:'
      then regexp_replace(lower(substring(uri from '^[A-Za-z]+://[^/?#]+')), '^(https:.*):443$|^(http:.*):80$', '\1\2')
      else substring(uri from '^[a-z][a-z0-9.+-]*://[^/?#]+') end as origin
    from unnest(uris) uri) found
$$;
-- CORS preflight requests name no client, so all tenants are searched.
create index credentials_origins on credentials using gin (redirect_origins(redirect_uris, client_type));

create table client_secrets (
  id uuid primary key,
  application_id bigint not null references credentials on delete cascade,
  digest bytea not null, -- the secret has 256 random bits, so no slow hash is needed
  name text not null default '',
  created_on timestamptz not null default now(),
  last_used_on timestamptz -- at most an hour behind; null: never
);
create index client_secrets_application on client_secrets (application_id);
-- Not on update: last_used_on is not cached.
create trigger client_secrets_announce_client after insert or delete on client_secrets
  for each row execute function announce('clients');

-- Scopes, resources and claims that a user has granted to an application; requests within them skip consent.
create table consents (
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  client_id bigint not null references credentials on delete cascade,
  scopes text[] not null,
  resources text[] not null default '{}', -- as in refresh_families
  claims text[] not null default '{}', -- granted by name, in addition to the scopes' claims (OpenID Connect Core 5.5)
  destinations text[] not null default '{}', -- redirect targets shown on the page: hosts, or an app's own schemes
  granted_on timestamptz not null default now(),
  primary key (tenant_id, user_id, client_id)
);
create index consents_client on consents (client_id, user_id);

-- Consent pages shown before the withdrawal are no longer valid and are shown again.
create table consent_withdrawals (
  tenant_id uuid not null references tenants,
  user_id integer not null references users on delete cascade,
  client_id bigint not null references credentials on delete cascade,
  withdrawn_on timestamptz not null,
  primary key (tenant_id, user_id, client_id)
);
create index consent_withdrawals_client on consent_withdrawals (client_id);

-- A tenant's APIs that accept our access tokens (RFC 8707).
create table apis (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  audience text not null,
  audience_key text not null, -- audience in normalized form (RFC 3986 6.2)
  scopes jsonb not null, -- [{"name": …, "description": …}]; names are unique across a tenant's APIs
  access_token_alg text not null check (access_token_alg in ('RS256', 'ES256', 'EdDSA')),
  access_token_type text not null check (access_token_type in ('at+jwt', 'JWT')),
  token_lifetime integer, -- seconds; null: the client's
  application_id bigint references applications on delete set null, -- the API's client, for introspection
  -- As in credentials.
  include_claims boolean not null default false,
  claim_mapping jsonb not null default '[]',
  created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
  modified_on timestamptz(3) not null default now(), modified_by_type text, modified_by_id bigint,
  constraint apis_name_key unique (tenant_id, name),
  -- Unique across tenants: all tenants share one issuer and its keys, so an API that checks only issuer, key and
  -- audience would accept another tenant's tokens.
  constraint apis_audience_key unique (audience_key)
);
create index apis_application on apis (application_id);
create trigger apis_announce after insert or update or delete on apis
  for each row execute function announce('clients');
create trigger apis_publish_keys after insert or update or delete on apis
  for each row execute function publish_signing_keys();

-- Audiences of deleted or changed APIs. Other tenants may reuse one only after all its tokens have expired.
create table resting_audiences (
  audience_key text primary key,
  tenant_id uuid not null references tenants, -- the former owner, which may reuse it at any time
  rests_until timestamptz not null
);
create index resting_audiences_end on resting_audiences (rests_until);

-- Pushed authorization requests (RFC 9126).
create table pushed_requests (
  digest bytea primary key, -- of the random part of request_uri
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  parameters text not null, -- form-encoded, without client authentication
  expires_on timestamptz not null, -- the browser must arrive by then; the user may answer later
  used_on timestamptz, -- the request was answered
  -- Digest and expiry of the request object, if there was one. When the request is answered, a second row with this
  -- digest marks the object as used, so a replay is rejected until it expires.
  object bytea,
  object_until timestamptz,
  created_on timestamptz not null default now(),
  -- The network of a client without authentication; limits rows per client and network.
  network text
);
create index pushed_requests_client on pushed_requests (client_id, expires_on);
create index pushed_requests_network on pushed_requests (client_id, network) where network is not null and used_on is null;
-- For the search of an erasure, a part at a time.
create index pushed_requests_tenant on pushed_requests (tenant_id, digest);
create index pushed_requests_expiry on pushed_requests (expires_on);

create table authorization_codes (
  digest bytea primary key,
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  user_id integer not null references users on delete cascade,
  session_id uuid not null,
  redirect_uri text not null,
  response_type text not null,
  redirect_uri_sent boolean not null, -- then the token request must repeat it (RFC 6749 4.1.3)
  scope text, -- as requested
  scopes text[] not null,
  nonce text,
  code_challenge text, -- RFC 7636, S256
  auth_time timestamptz not null,
  amr text[] not null,
  acr text not null,
  claims jsonb not null, -- the claims parameter (OpenID Connect Core 5.5)
  resources text[] not null default '{entity}', -- as in refresh_families
  expires_on timestamptz not null,
  used_on timestamptz,
  family_id uuid, -- the tokens issued for it, revoked if it is presented again
  dpop_jkt text -- the thumbprint of the DPoP key that must redeem it; null: none required
);
create index authorization_codes_expiry on authorization_codes (expires_on);
-- Codes are looked up by session when it ends, and when its user signs in again.
create index authorization_codes_session on authorization_codes (session_id);

-- Device authorization requests (RFC 8628), kept until their tokens are fetched or they expire.
create table device_codes (
  digest bytea primary key, -- of the device_code
  user_code text not null, -- 8 letters, typed by the user
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  scopes text[] not null,
  resources text[] not null, -- as in refresh_families
  interval_seconds integer not null,
  polled_on timestamptz,
  expires_on timestamptz not null,
  -- The user's decision, and how the user had signed in.
  decided_on timestamptz,
  user_id integer references users on delete cascade, -- null with decided_on set: denied
  auth_time timestamptz,
  amr text[],
  acr text,
  used_on timestamptz,
  family_id uuid, -- the tokens issued for it, revoked if it is presented again
  network text, -- as in pushed_requests
  constraint device_codes_user_code_key unique (user_code)
);
create index device_codes_tenant on device_codes (tenant_id, client_id) where decided_on is null;
create index device_codes_user on device_codes (user_id);
create index device_codes_expiry on device_codes (expires_on);

-- All refresh and access tokens that descend from one grant. Refresh tokens have no rows: a token contains its family
-- and generation, protected by a MAC.
create table refresh_families (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  application_id bigint not null references applications on delete cascade,
  user_id integer references users on delete cascade, -- null: client_credentials
  scopes text[] not null,
  -- Allowed audiences of its access tokens (RFC 8707): Ids of APIs, and 'entity' for the entity API.
  resources text[] not null default '{entity}',
  -- Userinfo claims requested by the claims parameter (OpenID Connect Core 5.5).
  userinfo_claims text[] not null default '{}',
  session_id uuid, -- the sign-in session of the grant
  auth_time timestamptz,
  acr text,
  amr text[],
  generation integer not null, -- of the newest refresh token
  former integer, -- generation used last; valid until the newest one is used
  rotated_on timestamptz not null default now(),
  expires_on timestamptz not null,
  revoked_on timestamptz,
  jkt text, -- the thumbprint of the DPoP key required to refresh; null: client authentication is enough
  started_on timestamptz not null default now()
) with (fillfactor = 80);
create index refresh_families_application on refresh_families (application_id, user_id);
create index refresh_families_user on refresh_families (user_id);
create index refresh_families_session on refresh_families (session_id);
create index refresh_families_expiry on refresh_families (expires_on);

-- Access tokens revoked before they expire: a row is a jti, or a family's id for all its tokens. Cached by every
-- process.
create table revoked_tokens (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  revoked_on timestamptz not null default clock_timestamp(),
  expires_on timestamptz not null
);
create index revoked_tokens_revoked on revoked_tokens (revoked_on);

-- Issued access tokens, counted per hour.
create table issued_tokens (
  tenant_id uuid not null references tenants,
  hour timestamptz not null, -- its start
  grant_type text not null,
  count bigint not null,
  primary key (tenant_id, hour, grant_type)
);
create index issued_tokens_hour on issued_tokens (hour);

-- One-time JWTs of clients: digests of used ones, kept until they expire.
create table used_jwts (
  tenant_id uuid not null references tenants,
  digest bytea not null, -- of kind, client and jti
  client_id bigint references credentials on delete cascade,
  expires_on timestamptz not null,
  primary key (tenant_id, digest)
);
create index used_jwts_expiry on used_jwts (expires_on);
create index used_jwts_client on used_jwts (client_id, expires_on);

-- Used DPoP proofs, kept until their nonces expire. Unlogged: a row lost in a crash allows a replay for minutes, and
-- only together with the token.
create unlogged table used_dpop_proofs (
  tenant_id uuid not null,
  -- Of the key thumbprint and the jti. Unique across tenants, because a proof names no tenant.
  digest bytea primary key,
  expires_on timestamptz not null
);
create index used_dpop_proofs_expiry on used_dpop_proofs (expires_on);

-- A browser signed in to the Settings console. It ends with the sign-in session and with the grant.
create table settings_sessions (
  session_id uuid primary key references sessions on delete cascade,
  tenant_id uuid not null references tenants,
  family_id uuid not null references refresh_families on delete cascade,
  digest bytea not null -- of the cookie's value
);
create index settings_sessions_family on settings_sessions (family_id);

-- # Identity: dynamic client registration (RFC 7591, RFC 7592)

-- Initial access tokens. They allow their bearer to register clients.
create table registration_tokens (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  name text not null,
  digest bytea not null unique,
  uses_left integer not null check (uses_left >= 0),
  expires_on timestamptz(3) not null,
  created_on timestamptz(3) not null default now()
);
create index registration_tokens_tenant on registration_tokens (tenant_id, id);
create index registration_tokens_expiry on registration_tokens (expires_on);

-- Dynamically registered clients, which can update themselves.
create table registered_clients (
  application_id bigint primary key references credentials on delete cascade,
  tenant_id uuid not null references tenants,
  digest bytea, -- of the registration access token; null: none
  token_made_on timestamptz(3) not null default now(),
  token_used_on timestamptz(3), -- accurate to an hour
  -- Fields set by an administrator; the client may only narrow them. given_scopes: scopes added by an administrator.
  administrator_set text[] not null default '{}',
  given_scopes text[] not null default '{}',
  is_open boolean not null, -- registered without an initial access token
  registered_on timestamptz(3) not null default now(),
  -- Number of updates by the client in the hour that starts at counted_from.
  changes integer not null default 0,
  counted_from timestamptz(3) not null default now(),
  document_url text unique, -- the client_id of a metadata document client; null: dynamic registration
  document_fresh_until timestamptz(3),
  document_tried_on timestamptz(3), -- last fetch attempt
  document_read_on timestamptz(3)
);
create index registered_clients_tenant on registered_clients (tenant_id, registered_on);
create index registered_clients_open on registered_clients (registered_on) where is_open;

-- Registrations without an initial access token in the last hour. Deleted clients still count.
create table open_registrations (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants,
  network text not null, -- origin of the registration
  made_on timestamptz(3) not null default now()
);
create index open_registrations_tenant on open_registrations (tenant_id, made_on);

-- # Identity: logouts
-- Clients are notified when a session ends (OpenID Connect Back-Channel Logout 1.0).

-- The clients that a user signed in to within a session; they are notified when it ends.
create table session_clients (
  session_id uuid not null references sessions on delete cascade,
  client_id bigint not null references credentials on delete cascade,
  -- The session id that the client knows. It differs from session_id if the user has since signed in again in the same
  -- browser.
  sid uuid not null,
  tenant_id uuid not null references tenants,
  primary key (session_id, client_id, sid)
);
create index session_clients_client on session_clients (client_id);

-- The logout notification of one client about one session.
create table logouts (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  user_id integer not null, -- no reference: deleting a user ends its sessions too
  sid uuid not null,
  state text not null default 'Pending' check (state in ('Pending', 'Retrying', 'Delivered', 'Exhausted', 'Cancelled')),
  reason text, -- why delivery failed: host, status and one word
  attempts smallint not null default 0,
  earlier_attempts smallint not null default 0, -- attempts before the last redelivery
  run smallint not null default 1, -- number of the run; each redelivery starts a workflow of its own
  attempt_opened_by uuid, -- identifies the opener, so a repeated call finds its own attempt
  retry_on timestamptz, -- earliest time of the next attempt
  lease_until timestamptz not null default '-infinity', -- the workflow need not be checked before then
  created_on timestamptz(3) not null default now(),
  ended_on timestamptz(3)
) with (fillfactor = 80);
create index logouts_client on logouts (client_id, created_on, id);
create index logouts_open on logouts (lease_until) where state in ('Pending', 'Retrying');
create index logouts_ended on logouts (ended_on);
-- Logouts waiting to be started.
create index logouts_waiting on logouts (tenant_id, client_id, created_on)
  where lease_until = '-infinity' and state in ('Pending', 'Retrying');

create table logout_attempts (
  logout_id uuid not null references logouts on delete cascade,
  number smallint not null,
  started_on timestamptz not null,
  duration_ms integer, -- null: running, or lost with its worker
  status_code smallint,
  failure text, -- the network failure in one word; null: the receiver answered
  response_headers text,
  response_body text,
  primary key (logout_id, number)
);

-- Sessions are deleted in many places, and by cascades from users and identity providers; this trigger covers all of
-- them. Deleting an expired session sends nothing.
create function log_clients_out() returns trigger language plpgsql as $$
begin
  if old.expires_on > now() then
    -- Key share lock: a client deleted concurrently could not be referenced.
    insert into logouts (id, tenant_id, client_id, user_id, sid)
    select gen_random_uuid(), old.tenant_id, c.client_id, old.user_id, c.sid
    from session_clients c join credentials k on k.application_id = c.client_id
    where c.session_id = old.id and k.backchannel_logout_uri is not null
    for key share of k;
    if found then perform pg_notify('gatehouse_logout', ''); end if;
  end if;
  return old;
end
$$;
create trigger sessions_log_clients_out before delete on sessions for each row execute function log_clients_out();

-- # Identity: mail

-- Mails, written in the transaction of their cause and sent by a worker. Rows outlive the User, as a log.
create table mails (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  kind text not null check (kind in
    ('VerifyAddress', 'ForgottenPassword', 'Invitation', 'SignUp', 'AccountExists', 'AccountReady', 'NewDevice',
      'CredentialChanged', 'Alert', 'Test')),
  recipient text not null, -- the address
  user_id integer, -- null: no User
  content bytea, -- the template's values, sealed, because links in them are secrets; null: sent or expired
  expires_on timestamptz(3), -- it is not sent afterwards; null: never
  state text not null default 'Waiting' check (state in ('Waiting', 'Held', 'Sent', 'Failed', 'Bounced')),
  reason text, -- why it was not sent yet: host, status and one word
  message_id text, -- set by the first attempt
  attempts smallint not null default 0,
  earlier_attempts smallint not null default 0, -- attempts before the last run
  run smallint not null default 1, -- number of the run; each has a workflow of its own
  attempt_opened_by uuid, -- identifies the opener, so a repeated call finds its own attempt
  retry_on timestamptz, -- earliest time of the next attempt; of a held mail: when it is tried again
  lease_until timestamptz not null default '-infinity', -- the workflow need not be checked before then
  started_on timestamptz, -- when the last run was started, for MAIL_RATE
  created_on timestamptz(3) not null default now(),
  ended_on timestamptz(3)
) with (fillfactor = 80);
create index mails_tenant on mails (tenant_id, id);
create index mails_recipient on mails (tenant_id, lower(recipient), id);
create index mails_user on mails (tenant_id, user_id);
create index mails_open on mails (lease_until) where state in ('Waiting', 'Held');
create index mails_started on mails (started_on);
create index mails_created on mails (created_on);

create table mail_attempts (
  mail_id uuid not null references mails on delete cascade,
  number smallint not null,
  started_on timestamptz not null,
  duration_ms integer, -- null: running, or lost with its worker
  status_code smallint, -- of SMTP; null: the server did not answer
  failure text, -- in one word; null: sent
  response text, -- the server's last line
  primary key (mail_id, number)
);

-- # Data: personal data

-- A row certifies the removal of a person's data. It has no personal data but the former Id of the User.
create table erasures (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  user_id integer not null,
  -- Whether deliveries about the person that are still on their way are sent or cancelled.
  deliveries text not null check (deliveries in ('Send', 'Cancel')),
  state text not null default 'Running' check (state in ('Running', 'Completed')),
  removed jsonb not null default '{}', -- counts by kind
  is_searched boolean not null default false, -- all its events are in erasure_events
  names text[], -- of the person, to search sign-ins in progress; null: these were searched
  written_by xid8 not null default pg_current_xact_id(), -- older transactions may still write about the person
  lease_until timestamptz not null default '-infinity', -- until then a worker has made sure of its workflow
  created_on timestamptz not null default now(), created_by_type text not null, created_by_id bigint not null,
  ended_on timestamptz
);
create index erasures_tenant on erasures (tenant_id, id);
create unique index erasures_running on erasures (tenant_id, user_id) where state = 'Running';
create index erasures_lease on erasures (lease_until) where state = 'Running';

-- Events with data about the person, found once; the rows go with the end of the erasure.
create table erasure_events (
  erasure_id uuid not null references erasures,
  event_id uuid not null,
  primary key (erasure_id, event_id)
);

-- # Data: retention

-- When the rows of a partition were removed.
create table removals (
  parent text not null,
  starts_on timestamptz not null, -- the partition's start
  removed_on timestamptz not null default now(),
  primary key (parent, starts_on)
);

-- Measurements by maintenance of all that is kept of a tenant: counting takes too long for a page. By the day of the
-- rows' events, or of audit entries, in UTC.
create table kept_days (
  tenant_id uuid not null,
  name text not null, -- the table
  day date not null,
  rows bigint not null,
  bytes bigint not null, -- of the rows alone
  primary key (tenant_id, name, day)
);
create index kept_days_name on kept_days (name, day);

-- The last measurement of each of the last 30 days.
create table kept_totals (
  tenant_id uuid not null references tenants,
  name text not null, -- the table, or temporal
  day date not null, -- of the measurement, in UTC
  bytes bigint not null, -- of the tenant's rows alone
  bytes_on_disk bigint not null, -- of the whole table with its indexes
  measured_on timestamptz not null,
  primary key (tenant_id, name, day)
);

-- A partition is measured again after its rows have changed.
create table measured_partitions (
  parent text not null,
  starts_on timestamptz not null,
  changes bigint not null, -- rows inserted, updated and deleted, as PostgreSQL has counted them
  measured_on timestamptz not null default now(),
  primary key (parent, starts_on)
);

-- Drops a partition whole, and notes it, but never one that ended within the last day, which is the shortest retention.
-- Returns whether it is kept, because a delivery of its time is open. Changes wait for the drop, and behind it for
-- those before it, so it gives up after 25 ms.
create function drop_partition(parent text, starts_on timestamptz) returns boolean language plpgsql
security definer set search_path from current set lock_timeout = '25ms' as $$
declare
  name text := parent || to_char(starts_on at time zone 'UTC', '_YYYYMMDD');
  ends_on timestamptz := partition_end(parent, starts_on);
begin
  if not exists (select from pg_inherits where inhrelid = to_regclass(name) and inhparent = to_regclass(parent)) then
    return false;
  end if;
  perform require_privilege(parent, 'DELETE');
  if ends_on > now() - interval '24 hours' then
    raise exception 'partition % ended less than 24 hours ago', name using errcode = 'object_not_in_prerequisite_state';
  end if;
  -- After the lock, which waits for redeliveries that have read the partition.
  execute format('lock table only %I in access exclusive mode', parent);
  if parent <> 'audit_log' and exists (
    select from deliveries d
    where d.state in ('Pending', 'Retrying', 'Held')
      and d.event_id >= lowest_id(starts_on) and d.event_id < lowest_id(ends_on)
  ) then
    return true;
  end if;
  execute format('drop table %I', name);
  insert into removals (parent, starts_on) values (parent, starts_on) on conflict do nothing;
  delete from measured_partitions m where m.parent = drop_partition.parent and m.starts_on = drop_partition.starts_on;
  delete from kept_days k where k.name = parent and k.day >= (starts_on at time zone 'UTC')::date
    and k.day < (ends_on at time zone 'UTC')::date;
  return false;
end
$$;

-- Only roles of workers drop partitions (docs/operations.md): those that may delete events by default privileges.
revoke execute on function drop_partition(text, timestamptz) from public;
do $$
declare
  role name;
begin
  for role in
    select distinct grantee::regrole::text from pg_class c, aclexplode(c.relacl) a
    where c.oid = 'events'::regclass and a.privilege_type = 'DELETE' and a.grantee <> 0 and a.grantee <> c.relowner
  loop
    execute format('grant execute on function drop_partition(text, timestamptz) to %s', role);
  end loop;
end
$$;
