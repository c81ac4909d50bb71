alter table credentials add require_par boolean not null default false;

-- Authorization requests that clients have sent beforehand (RFC 9126).
create table pushed_requests (
  digest bytea primary key, -- of what its request_uri ends with
  tenant_id uuid not null references tenants,
  client_id bigint not null references credentials on delete cascade,
  parameters text not null, -- in the form encoding, without what the client proves itself by
  expires_on timestamptz not null, -- by then the browser has to come with it; an answer may take longer
  used_on timestamptz -- it was answered
);
create index pushed_requests_client on pushed_requests (client_id, expires_on);
create index pushed_requests_expiry on pushed_requests (expires_on);
