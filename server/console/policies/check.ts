// Validation of a policy text for the editor, like Policy/Validate for API clients.

import { BadInput } from "../../platform/errors.ts";
import { NO_STORE } from "../../platform/http/conditions.ts";
import { POLICY_TEXT, type PolicyProblem } from "../../records/index.ts";
import type { ConsolePage, ConsoleServices, Visit } from "../page.tsx";

export const CHECK = "/settings/policies/check";

export function checkPage({ policies }: Pick<ConsoleServices, "policies">): ConsolePage {
  return {
    path: CHECK,
    POST: {
      needs: ["Settings:Update"],
      async answer(visit) {
        const problems = await problemsIn(policies, visit);
        const Problems = problems.map(({ message, line = null, column = null }) => {
          return { Message: message, Line: line, Column: column };
        });
        return Response.json({ Problems }, { headers: NO_STORE });
      },
    },
  };
}

/** Checks the text in the field `Policy`. @throws Permission, TenantBusy */
export async function problemsIn(policies: ConsoleServices["policies"], visit: Visit): Promise<PolicyProblem[]> {
  try {
    const { Policy } = POLICY_TEXT.parse({ Policy: policyText(visit.form) });
    return await policies.validate(visit.permitted("Settings:Update"), Policy);
  } catch (error) {
    // A text that cannot be parsed, such as one that is too long, has no positions.
    if (error instanceof BadInput) return error.errors.map((message) => ({ message }));
    throw error;
  }
}

/** Browsers send line breaks as CR LF. */
export const policyText = (form: URLSearchParams) => (form.get("Policy") ?? "").replaceAll("\r\n", "\n");
