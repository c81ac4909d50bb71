-- Filters of connections: a Cedar expression that decides which changes are sent.

alter table webhook_connections
  add column filter text,
  -- The attributes that the filter reads, by kind of record, with their types.
  add column filter_reads jsonb,
  -- The event at which the filter failed; null: it has not failed since it was set.
  add column filter_failed_at uuid;

-- The connections whose filter did not match.
alter table events add column withheld uuid[];

-- The former values of the fields that an Updated has changed, as compact JSON in the form of Data.
alter table payloads add column previous text;

-- How this delivery's post differs from the event's payload; null: it does not.
alter table deliveries add column form jsonb;

-- The last number of each record that was sent to an ordered connection with a filter.
create table sent_sequences (
  connection_id uuid not null references webhook_connections,
  record uuid not null, -- by record_key
  sequence bigint not null,
  primary key (connection_id, record)
);
