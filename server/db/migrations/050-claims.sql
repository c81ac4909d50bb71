-- The rest of OpenID Connect Core 5.1's claims, and whether somebody vouches for the two that can be verified.
alter table users
  add column middle_name text,
  add column nickname text,
  add column profile text,
  add column website text,
  add column gender text,
  add column birth_date text,
  add column address text,
  add column email_verified boolean not null default false,
  add column mobile_phone_verified boolean not null default false,
  drop column verified_email,
  drop column verified_phone;
