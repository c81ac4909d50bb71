alter table pushed_requests add column created_on timestamptz not null default now();
