-- Applications that do not take the logouts that they are told of.
alter table alerts drop constraint alerts_kind_check;
alter table alerts add constraint alerts_kind_check
  check (kind in ('ConnectionHeld', 'ErrorRate', 'Backlog', 'FailedSignIns', 'FailedLogouts'));
