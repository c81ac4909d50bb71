-- What a list is searched in: a record's short texts in small letters, a line each. One look at it costs a quarter of
-- one at each of the texts, and needs no extension; it is written with the row, so that nothing can forget it.
alter table users add column search_text text not null generated always as (lower(
  coalesce(name, '') || E'\n' || coalesce(username, '') || E'\n' || coalesce(email, '') || E'\n' ||
  coalesce(mobile_phone, '') || E'\n' || coalesce(external_id, ''))) stored;
alter table departments add column search_text text not null generated always as (lower(
  coalesce(name, '') || E'\n' || coalesce(external_id, ''))) stored;
alter table applications add column search_text text not null generated always as (lower(
  coalesce(name, '') || E'\n' || coalesce(application_key, '') || E'\n' || coalesce(external_id, '') || E'\n' ||
  coalesce(web_site_url, ''))) stored;
