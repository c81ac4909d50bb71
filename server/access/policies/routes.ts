import { Type } from "@sinclair/typebox";
import { orNull } from "../../http/fields.ts";
import { type Route, route } from "../../http/route.ts";
import { withoutRecords } from "../gate/shown.ts";
import { settingsRoutes } from "../settings-routes.ts";
import { POLICY, POLICY_TEXT } from "./contract.ts";
import type { Policies } from "./service.ts";

const description = "Cedar policies; a request needs its scope and a policy that permits it.";

export function policyRoutes(policies: Policies): Route[] {
  const { Name, Description, Policy } = POLICY.example;
  const example = { Name, Description, Policy };
  return [
    ...settingsRoutes({ contract: POLICY, service: policies, noun: "policy", description, example }),
    route({
      method: "POST",
      path: "/Policy/Validate",
      tag: { name: "Policy", description },
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
        const problems = await policies.validate(caller, input.Policy!);
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
