-- Each table has a primary key. PostgreSQL rejects updates and deletions of rows without one as soon as a publication
-- has the table, which `create publication … for all tables` brings about at any time.

alter table role_members add column id bigint generated always as identity primary key;
alter table open_registrations add column id bigint generated always as identity primary key;

alter table former_outcomes add primary key (event_id, delivery_id, id);
drop index former_outcomes_delivery;

alter table deliveries_open add primary key using index deliveries_open_id;
alter table deliveries_closed add primary key (event_id, id);
drop index deliveries_closed_id;
