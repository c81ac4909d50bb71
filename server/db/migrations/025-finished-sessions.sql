-- When its user had given all that a sign-in takes: before that, it is no session yet.
alter table sessions add column finished_on timestamptz;
update sessions set finished_on = created_on;
