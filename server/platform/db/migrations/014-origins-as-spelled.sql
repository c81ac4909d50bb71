-- Redirect URIs are stored as sent, so scheme and host may have capitals, and a default port may be written. Browsers send
-- origins without both. The origins of the addresses stored so far stay the same.
create or replace function redirect_origins(uris text[], client_type text) returns text[]
language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct case when client_type = 'native'
    then regexp_replace(origin, '^(http://(127\.0\.0\.1|\[::1\]|localhost))(:[0-9]+)?$', '\1:*') else origin end), '{}')
  from (
    select case when uri ~* '^https?:'
      then regexp_replace(lower(substring(uri from '^[A-Za-z]+://[^/?#]+')), '^(https:.*):443$|^(http:.*):80$', '\1\2')
      else substring(uri from '^[a-z][a-z0-9.+-]*://[^/?#]+') end as origin
    from unnest(uris) uri) found
$$;
