alter table credentials add column require_signed_request_object boolean not null default false;
