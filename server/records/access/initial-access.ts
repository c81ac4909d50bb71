// Initial roles and policies of a tenant: reading, using and changing.

import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { Member } from "../reference-list.ts";
import { createCedar, statementsOf } from "./decisions/cedar.ts";
import { listAllPolicies, POLICY_TABLE } from "./policies/store.ts";
import { lockSettings } from "./policies.store.ts";
import { ROLE_TABLE } from "./roles/store.ts";
import { SCOPE_ACTIONS, type Scope } from "./scopes.ts";

export const ROLES: { name: string; description: string; scopes: Scope[] }[] = [
  { name: "admin", description: "May do everything.", scopes: SCOPE_ACTIONS },
  {
    name: "editor",
    description: "Reads, creates and changes records.",
    scopes: ["AccessManager:Read", "AccessManager:Create", "AccessManager:Update"],
  },
  {
    name: "ops",
    description: "Monitors webhooks and redelivers events.",
    scopes: ["Webhooks:Read", "Webhooks:Create", "Webhooks:Update"],
  },
  {
    name: "auditor",
    description: "Reads records, settings and the webhooks' log.",
    scopes: ["AccessManager:Read", "Settings:Read", "Webhooks:Read"],
  },
];

export const POLICIES = [
  {
    name: "Administrators",
    description: "By role: members of the role admin may do everything.",
    policy: `permit (
  principal in Role::"admin",
  action,
  resource
);
`,
  },
  {
    name: "Editors",
    description: "By role: editors may read, create and change every record, but delete none.",
    policy: `permit (
  principal in Role::"editor",
  action in [Action::"AccessManager:Read", Action::"AccessManager:Create", Action::"AccessManager:Update"],
  resource
);
`,
  },
  {
    name: "Operators",
    description:
      "By the kind of record: ops read all of webhooks, redeliver events and acknowledge alerts, but change no connection.",
    policy: `permit (
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
  action == Action::"Webhooks:Update",
  resource is Alert
);
permit (
  principal in Role::"ops",
  action in [Action::"Webhooks:Create", Action::"Webhooks:Update"],
  resource is Redelivery
);
`,
  },
  {
    name: "Payloads",
    description:
      "By context: ops read records in the payloads of events, and nowhere else. Delete this policy to hide them.",
    policy: `permit (
  principal in Role::"ops",
  action == Action::"AccessManager:Read",
  resource
)
when { context.payload };
`,
  },
  {
    name: "System applications",
    description: "By the record: only admins change a system application, or turn an application into one.",
    policy: `forbid (
  principal,
  action in [Action::"AccessManager:Create", Action::"AccessManager:Update", Action::"AccessManager:Delete"],
  resource is Application
)
when { resource.Is_System || resource.after.Is_System }
unless { principal in Role::"admin" };
`,
  },
  {
    name: "Auditors",
    description: "By network: auditors may read everything, from loopback and private addresses only.",
    policy: `permit (
  principal in Role::"auditor",
  action in [Action::"AccessManager:Read", Action::"Settings:Read", Action::"Webhooks:Read"],
  resource
)
when {
  context.ip.isLoopback() ||
  context.ip.isInRange(ip("10.0.0.0/8")) ||
  context.ip.isInRange(ip("172.16.0.0/12")) ||
  context.ip.isInRange(ip("192.168.0.0/16")) ||
  context.ip.isInRange(ip("fc00::/7"))
};
`,
  },
];

/** @param admins initially have all permissions */
export async function insertInitialAccess(tx: Queries, tenantId: TenantId, admins: Member[]): Promise<void> {
  for (const policy of POLICIES) await POLICY_TABLE.insert(tx, tenantId, policy);
  for (const role of ROLES) {
    await ROLE_TABLE.insert(tx, tenantId, { ...role, members: role.name === "admin" ? admins : [] });
  }
}

/** A text that can no longer be parsed counts, too. */
function forbids(cedar: Parameters<typeof statementsOf>[0], { policy }: { policy: string }): boolean {
  return statementsOf(cedar, policy).some(({ json }) => json?.effect !== "permit");
}

export interface DeletedPolicy {
  Name: string;
  Description: string;
  Policy: string;
}

/**
 * Restores access to a locked-out tenant. The role admin and the policy Administrators become as in a new tenant,
 * except for other listed members, and all other forbidding policies are deleted.
 */
export async function recoverAccess(tx: Queries, tenantId: TenantId, admin: Member): Promise<DeletedPolicy[]> {
  await lockSettings(tx, tenantId);
  const stored = await listAllPolicies(tx, tenantId);
  const isStarter = (policy: { name: string; policy: string }) =>
    POLICIES.some((starter) => starter.name === policy.name && starter.policy === policy.policy);
  const { run } = createCedar();
  const administrators = POLICIES.find(({ name }) => name === "Administrators")!;
  const deleted = stored.filter(
    (policy) => !isStarter(policy) && (policy.name === administrators.name || run((cedar) => forbids(cedar, policy))),
  );
  for (const { id } of deleted) await POLICY_TABLE.remove(tx, tenantId, id);
  const isLeft = stored.some((policy) => policy.name === administrators.name && isStarter(policy));
  if (!isLeft) await POLICY_TABLE.insert(tx, tenantId, administrators);

  const starter = ROLES.find(({ name }) => name === "admin")!;
  const role =
    (await ROLE_TABLE.find(tx, tenantId, { name: starter.name })) ?? (await ROLE_TABLE.insert(tx, tenantId, starter))!;
  const members = [...role.members, admin];
  await ROLE_TABLE.update(
    tx,
    tenantId,
    { ...role, allUsers: false, identityProviderId: null, members },
    undefined,
    role,
  );
  return deleted.map(({ name, description, policy }) => ({ Name: name, Description: description, Policy: policy }));
}
