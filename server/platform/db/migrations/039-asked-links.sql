-- Without a transaction.
create unique index concurrently password_resets_kind on password_resets (user_id, is_mailed);
create unique index concurrently invitations_asked_digest on invitations (asked_digest);
