-- Names of an erased person in sign-ins in progress. null: these were searched.
alter table erasures add column names text[];

-- For the search, a part at a time.
create index pushed_requests_tenant on pushed_requests (tenant_id, digest);
create index upstream_attempts_started on upstream_attempts (tenant_id, digest);
