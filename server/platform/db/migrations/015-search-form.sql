-- A Search compares texts in this form: without case, width and accents, so that Jose finds José. Letters that Unicode
-- does not decompose are replaced by their usual spelling. It needs no extension, which a managed database may not have.
create function search_form(text text) returns text language sql immutable strict parallel safe as $$
  select replace(replace(replace(replace(translate(normalize(regexp_replace(
    lower(normalize(text, NFKD) collate "pg_c_utf8"),
    '[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u200B-\u200F\u2060\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F]+', '', 'g'), NFC),
    'øłđðħŧıς', 'olddhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
$$;

alter table departments alter column search_text set expression as (search_form(
  coalesce(name, '') || E'\n' || coalesce(external_id, '')));
alter table users alter column search_text set expression as (search_form(
  coalesce(name, '') || E'\n' || coalesce(username, '') || E'\n' || coalesce(email, '') || E'\n' ||
  coalesce(mobile_phone, '') || E'\n' || coalesce(external_id, '')));
alter table applications alter column search_text set expression as (search_form(
  coalesce(name, '') || E'\n' || coalesce(application_key, '') || E'\n' || coalesce(external_id, '') || E'\n' ||
  coalesce(web_site_url, '')));
