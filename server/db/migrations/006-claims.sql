-- Claims beside the standard ones: [{"Claim": …, "From": …}], and those of scopes where they do not stand by themselves.
alter table credentials
  add id_token_claims boolean not null default false,
  add claim_mapping jsonb not null default '[]';
alter table apis
  add include_claims boolean not null default false,
  add claim_mapping jsonb not null default '[]';
