import type { Sql, Transaction } from "../../db/connection.ts";
import { BadInput, Conflict, type Problem as FieldProblem } from "../../errors.ts";
import { isUuid } from "../../http/query.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { Access } from "../access.ts";
import type { Permitted } from "../bearer.ts";
import type { FindRecords } from "../gate/references.ts";
import type { Shown } from "../gate/shown.ts";
import { changeSettings, createSettingsService, type RecordChange, type SettingsService } from "../settings.ts";
import type { Problem } from "./cedar.ts";
import { POLICY, type PolicyInput, type PolicyRecord } from "./contract.ts";
import { type Case, type Comparison, compare, type Evaluation, evaluate, type Tried } from "./evaluate.ts";
import type { Question } from "./question.ts";
import type { ResourceType } from "./resource-type.ts";
import {
  deletePolicy,
  findPolicies,
  findPolicy,
  insertPolicy,
  listPolicies,
  listPolicyTexts,
  listVersions,
  type Policy,
  updatePolicy,
  type Version,
} from "./store.ts";

/** Every process parses all of a tenant's policies when one changes, and asks each of them for every decision. */
const POLICIES_PER_TENANT = 100;
const CHARACTERS_PER_TENANT = 40_000;

/** Places in a policy that are told at once. */
const SHOWN_PROBLEMS = 20;

/** A tenant's policies. */
export interface Policies extends SettingsService<PolicyRecord, PolicyInput> {
  /** What keeps a text from being saved as a policy, without saving it; empty if it is good. @throws TenantBusy */
  validate(caller: Permitted<"Settings:Update">, text: string): Promise<Problem[]>;
  /** What a call of somebody's would meet. @throws BadInput, NotFound, Permission, TenantBusy */
  evaluate(caller: Permitted<"Settings:Read" | "AccessManager:Read">, question: Question): Promise<Evaluation>;
  /** Which of these calls a text would change the outcome of. @throws BadInput, NotFound, Permission, TenantBusy */
  compare(
    caller: Permitted<"Settings:Read" | "AccessManager:Read">,
    tried: Tried,
    cases: readonly Case[],
  ): Promise<Comparison>;
  /** Every text that the policy has had, the newest first, as far as they are kept. @throws NotFound, Permission */
  versions(caller: Permitted<"Settings:Read">, id: string): Promise<Shown<PolicyVersion>[]>;
  /** Every type of record that policies can be about, by its name. */
  types: ReadonlyMap<string, ResourceType>;
  /** Names of those whose records are found by an Id. */
  recordTypes: readonly string[];
}

export interface PolicyVersion {
  Number: number;
  Policy: string;
  SavedOn: string;
  /** AbstractLong (docs/behaviour.md "Foreign keys"), or null: it was there from the start. */
  SavedBy: { Id: number; Name?: string; Type: string } | null;
}

export function createPolicies(sql: Sql, access: Access, recordChange: RecordChange): Policies {
  const problemsOf = async (tenantId: TenantId, text: string) => inWords(await access.checkPolicy(tenantId, text));
  const service = createSettingsService<(typeof POLICY)["fields"], Policy>(sql, recordChange, {
    contract: POLICY,
    store: {
      list: listPolicies,
      find: findPolicy,
      insert: insertPolicy,
      update: updatePolicy,
      remove: deletePolicy,
    },
    blank: { name: "", description: "", policy: "" },
    audited: "Policy",
    change: (caller, work) => changeSettings(sql, access, caller, "Policy", work),
    async check({ tenantId }, { Policy }) {
      const problems = Policy === undefined ? [] : await problemsOf(tenantId, Policy);
      if (problems.length > 0) throw BadInput.in(problems);
    },
    async checkWritten(tx, tenantId, { before, saved }) {
      if (before?.policy !== saved.policy) await refuseTooMany(tx, access, tenantId);
    },
  });
  return {
    ...service,
    async versions(caller, id) {
      const { record } = await service.read(caller, id);
      const versions = (await listVersions(sql, caller.tenantId, id)).map(toVersion);
      return caller.gate.only(POLICY.name, versions, { resource: () => record });
    },
    async validate(caller, text) {
      const problems = await access.checkPolicy(caller.tenantId, text);
      return problems.slice(0, SHOWN_PROBLEMS);
    },
    evaluate: (caller, question) => evaluate({ sql, access, problemsOf }, caller, question),
    compare: (caller, tried, cases) => compare({ sql, access, problemsOf }, caller, tried, cases),
    types: access.types,
    recordTypes: access.recordTypes,
  };
}

/** Policies by their Ids, for what tells of them elsewhere. */
export const findPolicyRecords: FindRecords = async (sql, tenantId, _, ids) =>
  (await findPolicies(sql, tenantId, ids.filter(isUuid))).map((policy) => POLICY.toRecord(policy));

function toVersion({ number, policy, savedOn, savedBy }: Version): PolicyVersion {
  return {
    Number: number,
    Policy: policy,
    SavedOn: savedOn.toISOString(),
    SavedBy: savedBy as PolicyVersion["SavedBy"],
  };
}

/** Every place in a policy that is wrong. */
function inWords(problems: Problem[]): FieldProblem[] {
  return problems.slice(0, SHOWN_PROBLEMS).map(({ message, line, column }) => {
    const place = line === undefined ? "" : `, line ${line}, column ${column}`;
    return { Field: "Policy", Message: `Policy${place}: ${message}` };
  });
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
