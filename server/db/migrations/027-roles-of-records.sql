-- Who is in a role is kept apart from who calls, for policies may ask a record for its roles: it changes by roles alone,
-- and callers with every sign-in.
drop trigger roles_announce on roles;
create trigger roles_announce after update or delete on roles
  for each row execute function announce_access_change('roles');
drop trigger role_members_announce on role_members;
create trigger role_members_announce after insert or update or delete on role_members
  for each row execute function announce_access_change('roles');
