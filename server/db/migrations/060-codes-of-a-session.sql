-- A session's codes are looked for when it ends, and when its user signs in anew.
create index authorization_codes_session on authorization_codes (session_id);
