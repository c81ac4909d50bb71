// The records that policies name: which are missing, and the policies that name one.

import type { Queries } from "../../../platform/db/sql.ts";
import { firstOf } from "../../../platform/errors.ts";
import { printable } from "../../../platform/http/body.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Access } from "../access.ts";
import type { Named } from "../decisions/cedar.ts";
import { createPause } from "../decisions/policy-engine.ts";
import { CLIENT_RECORD } from "../decisions/resource-type.ts";
import type { RecordStore } from "../record-service.ts";
import { ROLE } from "../roles/contract.ts";
import { listRolesNamed } from "../roles.store.ts";
import type { Policy, PolicyFinding } from "./contract.ts";
import { POLICY_TABLE } from "./store.ts";

type Finder = Pick<Access, "namedIn" | "findRecords" | "recordTypes">;

/** Policies with their findings. */
export function policyStore(access: Finder): RecordStore<Policy> {
  const found = async (sql: Queries, tenantId: TenantId, rows: Policy[]): Promise<Policy[]> => {
    const findings = await findingsIn(
      access,
      sql,
      tenantId,
      rows.map(({ policy }) => policy),
    );
    return rows.map((row, index) => ({ ...row, findings: findings[index]! }));
  };
  return {
    ...POLICY_TABLE,
    async find(sql, tenantId, key, lock) {
      const row = await POLICY_TABLE.find(sql, tenantId, key, lock);
      return row && (await found(sql, tenantId, [row]))[0];
    },
    list: async (sql, tenantId, ...wanted) => found(sql, tenantId, await POLICY_TABLE.list(sql, tenantId, ...wanted)),
    async insert(tx, tenantId, row, actor) {
      const made = await POLICY_TABLE.insert(tx, tenantId, row, actor);
      return made && (await found(tx, tenantId, [made]))[0];
    },
    async update(tx, tenantId, row, actor) {
      return (await found(tx, tenantId, [await POLICY_TABLE.update(tx, tenantId, row, actor)]))[0]!;
    },
  };
}

/** The policies that name this role. */
export async function policiesNaming(
  { namedIn }: Pick<Access, "namedIn">,
  policies: readonly Policy[],
  role: string,
): Promise<Policy[]> {
  const [naming, pause] = [[] as Policy[], createPause()];
  for (const one of policies) {
    await pause();
    if (namedIn(one.policy).get("Role")?.has(role)) naming.push(one);
  }
  return naming;
}

/** The first ones, and one that counts all others. */
export function firstFindings(findings: PolicyFinding[]): PolicyFinding[] {
  return firstOf(findings, (Message) => ({ Type: "", Key: "", Message }));
}

/** For each text, the named records that do not exist. */
async function findingsIn(
  access: Finder,
  sql: Queries,
  tenantId: TenantId,
  texts: string[],
): Promise<PolicyFinding[][]> {
  const [named, pause] = [[] as Named[], createPause()];
  for (const text of texts) {
    await pause();
    named.push(access.namedIn(text));
  }
  const existing = new Map<string, ReadonlySet<string> | undefined>();
  for (const type of new Set(named.flatMap((one) => [...one.keys()]))) {
    const keys = new Set(named.flatMap((one) => [...(one.get(type) ?? [])]));
    existing.set(type, await existingOf(access, sql, tenantId, type, [...keys]));
  }
  return named.map((one) =>
    [...one].flatMap(([Type, keys]) => {
      const known = existing.get(Type);
      return known ? [...keys].filter((key) => !known.has(key)).map((Key) => findingOf(Type, Key)) : [];
    }),
  );
}

/** @returns undefined for a type whose records cannot be found */
async function existingOf(
  { findRecords, recordTypes }: Finder,
  sql: Queries,
  tenantId: TenantId,
  type: string,
  keys: string[],
): Promise<ReadonlySet<string> | undefined> {
  if (type === ROLE.name) return new Set(await listRolesNamed(sql, tenantId, keys));
  const recordType = recordTypeOf(type);
  if (!recordTypes.includes(recordType)) return undefined;
  return new Set((await findRecords(sql, tenantId, recordType, keys)).map(({ Id }) => String(Id)));
}

/** Policies call an Application that makes a request a Client. */
export const recordTypeOf = (type: string) => (type === "Client" ? CLIENT_RECORD : type);

function findingOf(Type: string, Key: string): PolicyFinding {
  return {
    Type,
    Key,
    Message: `There is no ${Type} with the ${Type === ROLE.name ? "Name" : "Id"} "${printable(Key)}".`,
  };
}
