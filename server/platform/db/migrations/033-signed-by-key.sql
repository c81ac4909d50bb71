-- Calls with a JWT, signed by a published key of the issuer.
alter table webhook_connections add column sign_by_key boolean not null default false;
