-- The keys of pairwise subjects are sealed; a tenant's is made when it is needed first.
alter table tenants alter column subject_key drop not null, alter column subject_key drop default;
update tenants set subject_key = null;
