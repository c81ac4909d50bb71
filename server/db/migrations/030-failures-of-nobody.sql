-- What is tried at an organisation that there is not is slowed down as it is at any other.
alter table signin_failures drop constraint signin_failures_tenant_id_fkey;
