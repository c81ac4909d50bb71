-- What a redelivery starts from: attempts before it do not count against the most a run may make.
alter table deliveries add column earlier_attempts smallint not null default 0;
