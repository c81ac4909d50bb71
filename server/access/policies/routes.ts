import { Type } from "@sinclair/typebox";
import { orNull } from "../../http/fields.ts";
import { uuidParameter } from "../../http/query.ts";
import type { Route } from "../../http/route.ts";
import { EXAMPLE_ACTOR } from "../fields.ts";
import { withoutRecords } from "../gate/shown.ts";
import { route } from "../route.ts";
import { type SettingsDependencies, settingsResource } from "../settings.ts";
import { POLICY, POLICY_TEXT, POLICY_VERSION } from "./contract.ts";
import { EVALUATION, QUESTION } from "./question.ts";
import { createPolicies, type Policies } from "./service.ts";

const tag = { name: POLICY.name, description: POLICY.texts.group };

export const POLICIES = {
  type: POLICY,
  create(deps: SettingsDependencies) {
    const service = createPolicies(deps);
    return settingsResource(POLICY, service, ownRoutes(service));
  },
};

function ownRoutes(policies: Policies): Route[] {
  return [
    route({
      method: "GET",
      path: "/Policy/{Id}/Versions",
      tag,
      id: "listPolicyVersions",
      summary: "List the texts that a policy has had",
      description: "The newest first; 50 are kept. To restore one, PATCH the Policy with its text.",
      params: { Id: uuidParameter("The Id of the policy.", "Policy") },
      scopes: ["Settings:Read"],
      paged: true,
      answer: { description: "A page of versions.", schema: POLICY_VERSION, example: VERSION, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { params, paging }) => policies.versions(caller, params.Id, paging),
    }),
    route({
      method: "POST",
      path: "/Policy/Validate",
      tag,
      id: "validatePolicy",
      summary: "Say what keeps a text from being saved as a policy",
      description: "Nothing is saved.",
      scopes: ["Settings:Update"],
      body: { ...POLICY_TEXT, description: "The text.", examples: { text: { Policy: MISSPELLED } } },
      answer: {
        description: "What is wrong with it, in the order of the text; empty: nothing.",
        schema: PROBLEMS,
        example: {
          Problems: [
            {
              Message: "attribute `Nmae` on entity type `Application` not found (did you mean `Name`?)",
              Line: 2,
              Column: 8,
            },
          ],
        },
      },
      async handle(caller, { input }) {
        const problems = await policies.validate(caller, input.Policy);
        const Problems = problems.map(({ message, line = null, column = null }) => {
          return { Message: message, Line: line, Column: column };
        });
        return withoutRecords({ Problems });
      },
    }),
    route({
      method: "POST",
      path: "/Policy/Evaluate",
      tag,
      id: "evaluatePolicies",
      summary: "Say whether a call would be allowed, and by which policies",
      description: EVALUATE,
      scopes: ["Settings:Read", "AccessManager:Read"],
      body: { ...QUESTION, description: "The call, and maybe a text to try.", examples: QUESTIONS },
      answer: {
        description: "What the call would meet.",
        schema: EVALUATION,
        example: { Decision: "Allow", DecidedBy: ["Administrators"], Problems: [] },
      },
      errors: ["NotFound", "Conflict", "ServiceBusy"],
      handle: async (caller, { input }) => withoutRecords(await policies.evaluate(caller, input)),
    }),
  ];
}

const EVALUATE =
  "It is decided as a call is, and nothing is saved. With Policy, as if that text were saved: in the place of the policy " +
  "that Id, or without it Name, points at, else beside the others. 403 unless the caller may read the principal, the " +
  "record with all it points at, and every policy and role, for the answer tells of these. So it does of a Client's " +
  "scopes, unless Context.Scopes says them: without it, 403 to who may not read all Credentials. A record of " +
  "WebhookConnection takes Webhooks:Read too. 409 where the text would be too much beside the other policies, as when " +
  "it is saved.";

const VERSION = {
  Number: 2,
  Policy: POLICY.example.Policy,
  SavedOn: POLICY.example.ModifiedOn,
  SavedBy: EXAMPLE_ACTOR,
};

const ASKED = { Principal: { Type: "Client", Id: 1 }, Action: "AccessManager:Read" };
const QUESTIONS = {
  saved: { ...ASKED, Resource: { Type: "Application", Id: 1 } },
  text: {
    ...ASKED,
    Action: "AccessManager:Create",
    Name: "Sales",
    Policy: 'permit (principal, action, resource is Application) when { resource.Name like "Sales *" };',
    Resource: { Type: "Application", Fields: { Name: "Sales portal" } },
    Context: { Scopes: ["AccessManager:Create"], Address: "203.0.113.7", Time: "2026-01-31T12:00:00Z" },
  },
};

const MISSPELLED = 'permit (principal, action, resource is Application)\nwhen { resource.Nmae == "Payroll" };';

const PROBLEMS = Type.Object(
  {
    Problems: Type.Array(
      Type.Object({
        Message: Type.String(),
        Line: orNull(Type.Integer({ format: "int32", description: "From 1; null: the text as a whole." })),
        Column: orNull(Type.Integer({ format: "int32", description: "In characters, from 1." })),
      }),
    ),
  },
  { $id: "PolicyProblems" },
);
