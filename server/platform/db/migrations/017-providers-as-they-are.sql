-- metadata_uri: null means below the issuer. id_token_alg: HS256, signed by the client's secret; null: by a published key.
alter table identity_providers add column metadata_uri text;
alter table identity_providers add column id_token_alg text;
-- Lists the user's addresses and whether each is verified, as GitHub's /user/emails; null: the mapping's claims count.
alter table identity_providers add column emails_endpoint text;
-- The typ of logout tokens; empty: none.
alter table credentials add column logout_token_type text not null default 'logout+jwt';
