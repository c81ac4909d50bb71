-- Passwords from another system, by their hashes.
alter table passwords
  add column imported_on timestamptz, -- null: the password was set or used here, and the hash is argon2id of our own
  add column valid_until timestamptz; -- of a weak imported hash
update roles set scopes = scopes || array['AccessManager:Import']
where name = 'admin' and scopes @> array['AccessManager:Erase', 'Settings:Update', 'Webhooks:Delete'];
