-- Access tokens that were issued, counted by the hour: no row for a token.
create table issued_tokens (
  tenant_id uuid not null references tenants,
  hour timestamptz not null, -- its beginning
  grant_type text not null,
  count bigint not null,
  primary key (tenant_id, hour, grant_type)
);
create index issued_tokens_hour on issued_tokens (hour);
