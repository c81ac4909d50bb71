-- Where a request came from whose client has proved nothing: one address has only so much of what a client may have.
alter table pushed_requests add column network text;
create index pushed_requests_network on pushed_requests (client_id, network) where network is not null and used_on is null;
alter table device_codes add column network text;
