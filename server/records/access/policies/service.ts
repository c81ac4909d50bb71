import { BadInput, type Problem as FieldProblem, NotFound } from "../../../platform/errors.ts";
import { isUuid, type Paging } from "../../../platform/http/query.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Access } from "../access.ts";
import type { Caller, Permitted } from "../bearer.ts";
import type { PolicyProblem } from "../decisions/cedar.ts";
import type { ResourceType } from "../decisions/resource-type.ts";
import type { Shown, ShownPage } from "../gate/shown.ts";
import { listPolicyTexts } from "../policies.store.ts";
import type { RecordService } from "../record-service.ts";
import { changeSettings, createSettingsService, type SettingsDependencies } from "../settings.ts";
import {
  POLICY,
  POLICY_VERSION,
  type Policy,
  type PolicyInput,
  type PolicyRecord,
  type PolicyVersion,
} from "./contract.ts";
import { type Case, type Comparison, compare, type Evaluation, evaluate, type Tried } from "./evaluate.ts";
import { requireFit } from "./fit.ts";
import { firstFindings, policiesNaming, policyStore, recordTypeOf } from "./named.ts";
import { listAllPolicies, listVersions, POLICY_TABLE } from "./store.ts";
import type { EvaluationQuestion } from "./trial-question.ts";

const SHOWN_PROBLEMS = 20;

export interface Policies extends RecordService<PolicyRecord, PolicyInput> {
  /** Why a text cannot be saved as a policy, without saving it; empty if it can. @throws TenantBusy */
  validate(caller: Permitted<"Settings:Update">, text: string): Promise<PolicyProblem[]>;
  /** The outcome of a described call. @throws BadInput, NotFound, Permission, Conflict, TenantBusy, ServiceBusy */
  evaluate(
    caller: Permitted<"Settings:Read" | "AccessManager:Read">,
    question: EvaluationQuestion,
  ): Promise<Evaluation>;
  /**
   * The calls with an outcome that a text would change.
   * @throws BadInput, NotFound, Permission, Conflict, TenantBusy, ServiceBusy
   */
  compare(
    caller: Permitted<"Settings:Read" | "AccessManager:Read">,
    tried: Tried,
    cases: readonly Case[],
  ): Promise<Comparison>;
  /** The readable policies that name this role. @throws TenantBusy, ServiceBusy */
  naming(caller: Permitted<"Settings:Read">, role: string): Promise<Shown<PolicyRecord>[]>;
  /** Former texts, newest first. @throws BadInput, NotFound, Permission, TenantBusy, ServiceBusy */
  versions(caller: Permitted<"Settings:Read">, id: string, paging: Paging): Promise<ShownPage<PolicyVersion>>;
  types: ReadonlyMap<string, ResourceType>;
  recordTypes: readonly string[];
}

export function createPolicies(deps: SettingsDependencies): Policies {
  const { sql, access } = deps;
  const problemsOf = async (tenantId: TenantId, text: string) => inWords(await access.checkPolicy(tenantId, text));
  const service = createSettingsService<(typeof POLICY)["field"], Policy>(deps, POLICY, {
    store: policyStore(access),
    transact: (caller, work) => changeSettings(sql, access, POLICY, caller, work),
    // Findings change with other records.
    version: (row) => POLICY.toRecord({ ...row, findings: [] }),
    shown: (caller, record) => ({
      ...record,
      Findings: firstFindings(record.Findings.filter(({ Type }) => seesEvery(caller, access, recordTypeOf(Type)))),
    }),
    async checkInput({ tenantId }, { Policy }) {
      const problems = Policy === undefined ? [] : await problemsOf(tenantId, Policy);
      if (problems.length > 0) throw BadInput.in(problems);
    },
    async afterWrite(tx, { tenantId }, { before, after }) {
      if (before?.policy !== after.policy) await requireFit(access, tenantId, await listPolicyTexts(tx, tenantId));
    },
  });
  return {
    ...service,
    async versions(caller, id, paging) {
      const { tenantId, gate } = caller;
      const row = isUuid(id) ? await POLICY_TABLE.find(sql, tenantId, { id }) : undefined;
      if (!row) throw new NotFound("There is no Policy with this Id.");
      // As stored; responses may show less.
      const resource = POLICY.toRecord(row);
      await gate.show(POLICY.name, resource);
      return gate.list({
        type: POLICY.name,
        name: `Versions of Policy ${row.id}`,
        paging,
        read: (limit, after) => listVersions(sql, tenantId, row.id, limit, after),
        id: ({ number }) => String(number),
        item: (version) => POLICY_VERSION.toRecord(version),
        resource: () => resource,
      });
    },
    async naming({ tenantId, gate }, role) {
      const naming = await policiesNaming(access, await listAllPolicies(sql, tenantId), role);
      return gate.only(
        POLICY.name,
        naming.map((one) => POLICY.toRecord(one)),
      );
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

function seesEvery({ gate, scopes }: Caller, { types }: Access, type: string): boolean {
  return scopes.has(`${types.get(type)!.families[0]}:Read`) && gate.seesAll(type);
}

function inWords(problems: PolicyProblem[]): FieldProblem[] {
  return problems.slice(0, SHOWN_PROBLEMS).map(({ message, line, column }) => {
    const place = line === undefined ? "" : `, line ${line}, column ${column}`;
    return { Field: "Policy", Message: `Policy${place}: ${message}` };
  });
}
