import { changesOf, recordAudit } from "../../audit/index.ts";
import type { Sql, Transaction } from "../../db/connection.ts";
import { BadInput, Conflict, NotFound } from "../../errors.ts";
import { type Conditions, requireConditions } from "../../http/conditions.ts";
import { isUuid } from "../../http/paging.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { Access } from "../access.ts";
import type { Caller, Permitted } from "../bearer.ts";
import { changeSettings } from "../change-settings.ts";
import type { FindRecords } from "../gate/references.ts";
import { requireSeen } from "../seen.ts";
import { createSettingsService, type SettingsService } from "../settings-service.ts";
import { refuseChangedStamps } from "../stamps.ts";
import { POLICY, type PolicyInput, type PolicyRecord } from "./contract.ts";
import type { Problem } from "./problems.ts";
import {
  deletePolicy,
  findPolicies,
  findPolicy,
  insertPolicy,
  listPolicies,
  listPolicyTexts,
  type Policy,
  updatePolicy,
} from "./store.ts";

/** Every process parses all of a tenant's policies when one changes, and asks each of them for every decision. */
const POLICIES_PER_TENANT = 100;
const CHARACTERS_PER_TENANT = 40_000;

const BLANK = { name: "", description: "", policy: "" };
const AUDITED = POLICY.namesOf(({ audit }) => audit);

/** Places in a policy that are told at once. */
const SHOWN_PROBLEMS = 20;

/** A tenant's policies. */
export interface Policies extends SettingsService<PolicyRecord, PolicyInput> {
  /** What keeps a text from being saved as a policy, without saving it; empty if it is good. @throws TenantBusy */
  validate(caller: Permitted<"Settings:Update">, text: string): Promise<Problem[]>;
}

export function createPolicies(sql: Sql, access: Access): Policies {
  return {
    ...createSettingsService(sql, {
      name: "Policy",
      list: listPolicies,
      find: findPolicy,
      toRecord: toPolicyRecord,
      async save(caller, input, conditions) {
        if (input.Policy !== undefined) refuseProblems(await access.checkPolicy(caller.tenantId, input.Policy));
        return upsertPolicy(sql, access, caller, input, conditions);
      },
      remove: (caller, id, conditions) => removePolicy(sql, access, caller, id, conditions),
    }),
    async validate(caller, text) {
      const problems = await access.checkPolicy(caller.tenantId, text);
      return problems.slice(0, SHOWN_PROBLEMS);
    },
  };
}

/** Policies by their Ids, for what tells of them elsewhere. */
export const findPolicyRecords: FindRecords = async (sql, tenantId, _, ids) =>
  (await findPolicies(sql, tenantId, ids.filter(isUuid))).map(toPolicyRecord);

/**
 * Updates the policy that Id or Name points at, or makes a new one.
 * @throws BadInput, NotFound, Permission, Conflict, PreconditionFailed
 */
function upsertPolicy(sql: Sql, access: Access, caller: Caller, input: PolicyInput, conditions: Conditions) {
  const { tenantId, actor } = caller;
  return changeSettings(sql, access, caller, "Policy", async (tx, permissions) => {
    const key = input.Id !== undefined ? { id: input.Id } : { name: input.Name ?? "" };
    const before = await findPolicy(tx, tenantId, key);
    if (!before && input.Id !== undefined) throw new NotFound(`There is no Policy with the Id ${input.Id}.`);
    if (!before || conditions.ifNoneMatch === "*") requireConditions(conditions, before && toPolicyRecord(before));
    if (!before) POLICY.whole(input, "Name", "Policy");
    const after = { ...(before ?? BLANK), ...POLICY.toColumns(input), id: before?.id ?? "" };
    const asRecord = { Id: before?.id ?? "", Name: after.name, Description: after.description };
    permissions.require("Settings:Update", "Policy", before ? toPolicyRecord(before) : asRecord, asRecord);
    // Only now, so that who may not change it learns of no value whether it is right.
    if (before) await requireSeen(tx, caller, "Policy", conditions, toPolicyRecord(before));
    refuseChangedStamps(caller, "Policy", input, before && toPolicyRecord(before));
    if (before && !differs(before, after)) return toPolicyRecord(before);

    const holder = await findPolicy(tx, tenantId, { name: after.name });
    if (holder && holder.id !== before?.id) throw new Conflict("Name is held by another Policy.");
    const saved = before
      ? await updatePolicy(tx, tenantId, { ...after, id: before.id }, actor)
      : await insertPolicy(tx, tenantId, after, actor);
    if (before?.policy !== saved.policy) await refuseTooMany(tx, access, tenantId);
    await recordAudit(tx, tenantId, caller, {
      kind: before ? "Policy.Changed" : "Policy.Created",
      subject: { type: "Policy", id: saved.id },
      details: before && changesOf(toPolicyRecord(before), toPolicyRecord(saved), AUDITED, []),
    });
    return toPolicyRecord(saved);
  });
}

/** @throws NotFound, Permission, Conflict, PreconditionFailed */
function removePolicy(sql: Sql, access: Access, caller: Caller, id: string, conditions: Conditions) {
  const { tenantId } = caller;
  return changeSettings(sql, access, caller, "Policy", async (tx, permissions) => {
    const policy = await findPolicy(tx, tenantId, { id });
    if (!policy) throw new NotFound("There is no Policy with this Id.");
    permissions.require("Settings:Update", "Policy", toPolicyRecord(policy));
    await requireSeen(tx, caller, "Policy", conditions, toPolicyRecord(policy));
    await deletePolicy(tx, tenantId, id);
    await recordAudit(tx, tenantId, caller, { kind: "Policy.Deleted", subject: { type: "Policy", id: policy.id } });
    return toPolicyRecord(policy);
  });
}

/** @throws BadInput naming every place in the policy that is wrong */
function refuseProblems(problems: Problem[]): void {
  if (problems.length === 0) return;
  throw BadInput.in(
    problems.slice(0, SHOWN_PROBLEMS).map(({ message, line, column }) => {
      const place = line === undefined ? "" : `, line ${line}, column ${column}`;
      return { Field: "Policy", Message: `Policy${place}: ${message}` };
    }),
  );
}

/** @throws Conflict, TenantBusy */
async function refuseTooMany(tx: Transaction, access: Access, tenantId: TenantId): Promise<void> {
  const texts = (await listPolicyTexts(tx, tenantId)).map(({ policy }) => policy);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (texts.length > POLICIES_PER_TENANT || characters > CHARACTERS_PER_TENANT) {
    throw new Conflict(
      `A tenant can have ${POLICIES_PER_TENANT} policies with ${CHARACTERS_PER_TENANT} characters together; with this ` +
        `one there would be ${texts.length} with ${characters}.`,
    );
  }
  const tooCostly = await access.weighPolicies(tenantId, texts);
  if (tooCostly) throw new Conflict(tooCostly);
}

function toPolicyRecord(policy: Policy): PolicyRecord {
  return POLICY.toRecord(policy);
}

function differs(before: Policy, after: Pick<Policy, "name" | "description" | "policy">): boolean {
  return (["name", "description", "policy"] as const).some((field) => before[field] !== after[field]);
}
