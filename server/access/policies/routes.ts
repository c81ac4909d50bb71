import { Elysia } from "elysia";
import { readJson, requireJson } from "../../http/body.ts";
import { requireMethod } from "../../http/method.ts";
import { API_PATH } from "../../http/paths.ts";
import type { Authenticate } from "../bearer.ts";
import { answer } from "../gate/answer.ts";
import { withoutRecords } from "../gate/shown.ts";
import { settingsController } from "../settings-routes.ts";
import type { Policies } from "./service.ts";

export function policiesController(policies: Policies, authenticate: Authenticate) {
  return new Elysia()
    .all(
      `${API_PATH}/Policy/Validate`,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "POST");
        requireJson(request);
        policies.requireWrite(caller);
        const problems = await policies.validate(caller, await readJson(request));
        const Problems = problems.map(({ message, line = null, column = null }) => {
          return { Message: message, Line: line, Column: column };
        });
        return answer(withoutRecords({ Problems }));
      },
      { parse: "none" },
    )
    .use(settingsController("Policy", policies, authenticate));
}
