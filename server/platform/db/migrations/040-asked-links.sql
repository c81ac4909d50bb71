-- Contract: unused since 0.1.0.
alter table password_resets drop constraint password_resets_pkey;
alter table password_resets add constraint password_resets_pkey primary key using index password_resets_kind;
