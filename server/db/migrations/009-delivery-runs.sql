-- What a redelivery starts from: attempts before it do not count against the most a run may make.
alter table deliveries add column earlier_attempts smallint not null default 0;
-- A dispatch that finds an earlier run open waits as long again as it has waited.
alter table dispatches add column created_on timestamptz not null default now();
create index deliveries_held on deliveries (connection_id, event_id) where state = 'Held';
