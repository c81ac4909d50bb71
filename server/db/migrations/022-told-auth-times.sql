-- Whether auth_time is when the user has proved who they are. Otherwise it is when an identity provider, which does not
-- say that, has sent the user.
alter table sessions add column is_auth_time_known boolean not null default true;
