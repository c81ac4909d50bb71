-- How people sign in and sign up, by choice of the tenant.
alter table tenants add column keep_signed_in text not null default 'Off';
alter table tenants add column new_device_mail text not null default 'Off';
alter table tenants add column sign_up text not null default 'Off';
alter table tenants add column sign_up_domains text[] not null default '{}';
alter table tenants add column consent_text text;
alter table tenants add column terms_uri text;
alter table tenants add column privacy_uri text;
-- The kinds of alerts that are mailed to administrators, and their addresses.
alter table tenants add column alert_mail_kinds text[] not null default '{}';
alter table tenants add column alert_mail_to text[] not null default '{}';

-- The session outlives the browser, and does not end by a pause. null: the user is asked after the sign-in.
alter table sessions add column is_kept boolean default false;

-- People who make their own account. A row without a User has a mailed link; one with a User waits for an administrator.
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
