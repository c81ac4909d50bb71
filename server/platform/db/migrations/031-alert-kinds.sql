-- Contract: unused since 0.1.0.

alter table alerts drop constraint alerts_kind_check;
alter table alerts add constraint alerts_kind_check check
  (kind in ('ConnectionHeld', 'ErrorRate', 'Backlog', 'FailedSignIns', 'FailedLogouts', 'NearLimit', 'MailHeld',
    'SignUps', 'FilterFailed')) not valid;
