// The routes of Policy and Role.

import { Elysia } from "elysia";
import { readJson, requireJson } from "../http/body.ts";
import { readConditions } from "../http/conditions.ts";
import { isRead, requireMethod } from "../http/method.ts";
import { API_PATH } from "../http/paths.ts";
import { requestUrl } from "../http/request-url.ts";
import type { Authenticate } from "./bearer.ts";
import { answer, answerRead, answerRecord } from "./gate/answer.ts";
import type { PolicyRecord } from "./policies/resource-type.ts";
import type { SettingsService } from "./settings-service.ts";

export function settingsController<Item extends PolicyRecord>(
  name: "Policy" | "Role",
  service: SettingsService<Item>,
  authenticate: Authenticate,
) {
  const path = `${API_PATH}/${name}`;
  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "PATCH", "POST");
        if (isRead(request)) return answer(await service.list(caller, requestUrl(request).searchParams));
        requireJson(request);
        service.requireWrite(caller);
        const conditions = readConditions(request.headers);
        return answerRecord(await service.save(caller, await readJson(request), conditions));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "DELETE");
        const conditions = readConditions(request.headers);
        if (isRead(request)) return answerRead(conditions, await service.read(caller, params.id));
        return answerRecord(await service.remove(caller, params.id, conditions));
      },
      { parse: "none" },
    );
}
