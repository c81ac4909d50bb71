-- What the digests of a user's recovery codes are made by, sealed by the master key: so they outlive it. Null: made
-- before there was one, by a key that comes of the master key.
alter table totp_secrets add column recovery_key bytea;
