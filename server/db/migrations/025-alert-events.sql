-- How many changes an alert has seen: the webhook-sequence of its events.
alter table alerts add column sequence bigint not null default 1;
