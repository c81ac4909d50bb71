-- Tenants from before the role ops get it, and its policy, as new ones begin with them. Who has one of the two under
-- its name, or has ever deleted a role or a policy, has decided by themselves and keeps what they have.
create temporary table without_operators on commit drop as
select id from tenants t
where not exists (select from roles where tenant_id = t.id and name = 'ops')
  and not exists (select from policies where tenant_id = t.id and name = 'Operators')
  and not exists (select from audit_log where tenant_id = t.id and kind in ('Role.Deleted', 'Policy.Deleted'));

insert into policies (id, tenant_id, name, description, policy)
select gen_random_uuid(), id, 'Operators',
  'By the kind of record: ops read all of webhooks and redeliver events, but change no connection.',
  $cedar$permit (
  principal in Role::"ops",
  action == Action::"Webhooks:Read",
  resource
);
permit (
  principal in Role::"ops",
  action == Action::"Webhooks:Update",
  resource is WebhookEvent
);
permit (
  principal in Role::"ops",
  action in [Action::"Webhooks:Create", Action::"Webhooks:Update"],
  resource is Redelivery
);
$cedar$
from without_operators;

insert into roles (id, tenant_id, name, description, scopes)
select gen_random_uuid(), id, 'ops', 'Watches webhooks and sends events again.',
  '{Webhooks:Read,Webhooks:Create,Webhooks:Update}'
from without_operators;
