-- The origins that a client's redirect URIs are of (RFC 6454 6.2). They are stored in lower case up to there, without a
-- default port. A native app listens on any port of a loopback address (RFC 8252 7.3): `*` stands for all.
create function redirect_origins(uris text[], client_type text) returns text[]
language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct case when client_type = 'native'
    then regexp_replace(origin, '^(http://(127\.0\.0\.1|\[::1\]|localhost))(:[0-9]+)?$', '\1:*') else origin end), '{}')
  from (select substring(uri from '^[a-z][a-z0-9.+-]*://[^/?#]+') as origin from unnest(uris) uri) found
$$;
-- A browser's preflight names no client: one of any tenant is looked for.
create index credentials_origins on credentials using gin (redirect_origins(redirect_uris, client_type));
