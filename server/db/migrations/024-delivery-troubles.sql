-- Why a worker cannot begin deliveries: what /readyz of every process tells. A row is good for a minute.
create table delivery_troubles (
  worker_id uuid primary key,
  reason text not null,
  noticed_on timestamptz not null default now()
);
