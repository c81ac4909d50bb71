-- Access tokens as the APIs that verify them take them. Clients from before keep the signature that they have.
alter table credentials
  drop constraint credentials_access_token_alg_check,
  add check (access_token_alg in ('RS256', 'ES256', 'EdDSA')),
  alter access_token_alg set default 'RS256',
  add access_token_type text not null default 'at+jwt' check (access_token_type in ('at+jwt', 'JWT')),
  add access_token_lifetime integer, -- seconds; null: TOKEN_LIFETIME
  add refresh_token_lifetime integer; -- seconds from the grant on; null: the standard one
