// …/User/{Id}/Consents and …/User/{Id}/Consents/{ApplicationId}.

import { Elysia } from "elysia";
import { type Authenticate, answer } from "../../access/index.ts";
import { requireMethod } from "../../http/method.ts";
import { API_PATH } from "../../http/paths.ts";
import { requestUrl } from "../../http/request-url.ts";
import type { Consents } from "./service.ts";

export function consentsController(consents: Consents, authenticate: Authenticate) {
  const path = `${API_PATH}/User/:id/Consents`;
  return new Elysia()
    .all(
      path,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET");
        return answer(await consents.list(caller, params.id, requestUrl(request).searchParams));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:applicationId`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "DELETE");
        return answer(await consents.revoke(caller, params.id, params.applicationId));
      },
      { parse: "none" },
    );
}
