-- Mails, written in the transaction of their cause and sent by a worker. Rows outlive the User, as a log.
create table mails (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  kind text not null check (kind in
    ('VerifyAddress', 'ForgottenPassword', 'Invitation', 'SignUp', 'AccountExists', 'AccountReady', 'NewDevice',
      'CredentialChanged', 'Alert', 'Test')),
  recipient text not null, -- the address
  user_id integer, -- null: no User
  content bytea, -- the template's values, sealed, because links in them are secrets; null: sent or expired
  expires_on timestamptz(3), -- it is not sent afterwards; null: never
  state text not null default 'Waiting' check (state in ('Waiting', 'Held', 'Sent', 'Failed', 'Bounced')),
  reason text, -- why it was not sent yet: host, status and one word
  message_id text, -- set by the first attempt
  attempts smallint not null default 0,
  earlier_attempts smallint not null default 0, -- attempts before the last run
  run smallint not null default 1, -- number of the run; each has a workflow of its own
  attempt_opened_by uuid, -- identifies the opener, so a repeated call finds its own attempt
  retry_on timestamptz, -- earliest time of the next attempt; of a held mail: when it is tried again
  lease_until timestamptz not null default '-infinity', -- the workflow need not be checked before then
  started_on timestamptz, -- when the last run was started, for MAIL_RATE
  created_on timestamptz(3) not null default now(),
  ended_on timestamptz(3)
) with (fillfactor = 80);
create index mails_tenant on mails (tenant_id, id);
create index mails_recipient on mails (tenant_id, lower(recipient), id);
create index mails_user on mails (tenant_id, user_id);
create index mails_open on mails (lease_until) where state in ('Waiting', 'Held');
create index mails_started on mails (started_on);
create index mails_created on mails (created_on);

create table mail_attempts (
  mail_id uuid not null references mails on delete cascade,
  number smallint not null,
  started_on timestamptz not null,
  duration_ms integer, -- null: running, or lost with its worker
  status_code smallint, -- of SMTP; null: the server did not answer
  failure text, -- in one word; null: sent
  response text, -- the server's last line
  primary key (mail_id, number)
);

alter table alerts drop constraint alerts_kind_check;
alter table alerts add constraint alerts_kind_check check
  (kind in ('ConnectionHeld', 'ErrorRate', 'Backlog', 'FailedSignIns', 'FailedLogouts', 'NearLimit', 'MailHeld',
    'SignUps'));

-- The name and the address for replies in the tenant's mails.
alter table tenants add column display_name text;
alter table tenants add column reply_to text;
