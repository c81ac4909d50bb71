-- How many changes a record has seen; its newest event has the same number.
alter table users add column sequence bigint not null default 1;
alter table applications add column sequence bigint not null default 1;
alter table departments add column sequence bigint not null default 1;

-- That of each record, in the payload's order; null of a ping, which is of no change.
alter table events add column sequences bigint[];
