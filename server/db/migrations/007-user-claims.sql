-- What applications may be told of a person (OpenID Connect Core 5.1).
alter table users
  add given_name text,
  add family_name text,
  add locale text,
  add zone_info text,
  add picture text;
