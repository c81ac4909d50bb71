-- A link that a person asked for voids none that an administrator made.
alter table password_resets add column is_mailed boolean not null default false;
-- The digest of the link's token that a person with an invitation asked for.
alter table invitations add column asked_digest bytea;
