alter table refresh_families add column started_on timestamptz not null default now();
update refresh_families set started_on = coalesce(auth_time, rotated_on);
-- The users of an application, in their order.
drop index refresh_families_application;
create index refresh_families_application on refresh_families (application_id, user_id);
create index consents_client on consents (client_id, user_id);
