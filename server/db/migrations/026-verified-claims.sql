-- The address and number that an identity provider has vouched for; a claim is verified while they are the User's own.
alter table users add column verified_email text;
alter table users add column verified_phone text;
