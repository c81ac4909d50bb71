import { Type } from "@sinclair/typebox";
import { orNull } from "../../../platform/http/fields.ts";
import { uuidParameter } from "../../../platform/http/query.ts";
import type { Route } from "../../../platform/http/route.ts";
import { withoutRecords } from "../gate/shown.ts";
import { route } from "../route.ts";
import { type SettingsDependencies, settingsResource } from "../settings.ts";
import { POLICY, POLICY_TEXT, POLICY_VERSION } from "./contract.ts";
import { createPolicies, type Policies } from "./service.ts";
import { EVALUATION, QUESTION } from "./trial-question.ts";

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
      summary: "List the versions of a policy's text",
      description: "Newest first; the last 50 are kept. To restore one, PATCH the Policy with its text.",
      params: { Id: uuidParameter("The Id of the policy.", "Policy") },
      scopes: ["Settings:Read"],
      paged: true,
      answer: {
        description: "A page of versions.",
        schema: POLICY_VERSION.record,
        example: POLICY_VERSION.example,
        list: true,
      },
      errors: ["ServiceBusy"],
      handle: (caller, { params, paging }) => policies.versions(caller, params.Id, paging),
    }),
    route({
      method: "POST",
      path: "/Policy/Validate",
      tag,
      id: "validatePolicy",
      summary: "Check a policy's text without saving it",
      description: "Nothing is saved.",
      scopes: ["Settings:Update"],
      body: { ...POLICY_TEXT, description: "The text.", examples: { text: { Policy: MISSPELLED } } },
      answer: {
        description: "The errors, in the order of the text; empty: none.",
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
      summary: "Test whether a call would be allowed, and by which policies",
      description: EVALUATE,
      scopes: ["Settings:Read", "AccessManager:Read"],
      body: { ...QUESTION, description: "The call, and optionally a text to try.", examples: QUESTIONS },
      answer: {
        description: "The decision.",
        schema: EVALUATION,
        example: { Decision: "Allow", DecidedBy: ["Administrators"], Problems: [] },
      },
      errors: ["NotFound", "Conflict", "ServiceBusy"],
      handle: async (caller, { input }) => withoutRecords(await policies.evaluate(caller, input)),
    }),
  ];
}

const EVALUATE =
  "Decided like a real call; nothing is saved. With Policy, that text is added, or replaces the policy with this Id, or " +
  "without an Id the one with this Name. 403 unless the caller may read the principal, the " +
  "record with its references, and every policy and role, because the answer reveals them. Without Context.Scopes it " +
  "also reveals a Client's scopes, which requires permission to read all Credentials. A record of " +
  "WebhookConnection also requires Webhooks:Read. 409 if the text exceeds the limits together with the other policies, " +
  "as on saving.";

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
        Line: orNull(Type.Integer({ format: "int32", description: "From 1; null: the whole text." })),
        Column: orNull(Type.Integer({ format: "int32", description: "In characters, from 1." })),
      }),
    ),
  },
  { $id: "PolicyProblems" },
);
