import { Type } from "@sinclair/typebox";
import { orNull } from "../../http/fields.ts";
import type { Route } from "../../http/route.ts";
import { withoutRecords } from "../gate/shown.ts";
import { route } from "../route.ts";
import { LOCK_OUT, settingsRoutes } from "../settings.ts";
import { POLICY, POLICY_TEXT } from "./contract.ts";
import type { Policies } from "./service.ts";

const tag = { name: "Policy", description: "Cedar policies; a request needs its scope and a policy that permits it." };

export function policyRoutes(policies: Policies): Route[] {
  const { Name, Description, Policy } = POLICY.example;
  return [
    ...settingsRoutes({
      contract: POLICY,
      service: policies,
      tag,
      nouns: ["policy", "policies"],
      examples: { policy: { Name, Description, Policy } },
      upsert: `The policy that Id, or without it Name, points at is updated; else a new one is made, which needs Name and Policy. ${LOCK_OUT}`,
      remove: LOCK_OUT,
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
  ];
}

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
