// …/User/{Id}/PasswordReset, …/SecondFactor, …/Identities and …/Sessions.

import { Elysia } from "elysia";
import { type Authenticate, answer, requireScopes, withoutRecords } from "../../access/index.ts";
import { readJson, requireJson } from "../../http/body.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { NO_STORE } from "../../http/no-store.ts";
import { API_PATH } from "../../http/paths.ts";
import { requestUrl } from "../../http/request-url.ts";
import { noFactor, type UserAdministration } from "./service.ts";

export function userAdministrationController(users: UserAdministration, authenticate: Authenticate) {
  const user = `${API_PATH}/User/:id`;
  return new Elysia()
    .all(
      `${user}/PasswordReset`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "POST");
        return answer(await users.makePasswordReset(caller, params.id), NO_STORE);
      },
      { parse: "none" },
    )
    .all(
      `${user}/SecondFactor`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "DELETE");
        if (!isRead(request)) return answer(await users.removeSecondFactor(caller, params.id));
        const factor = await users.findSecondFactor(caller, params.id);
        if (!factor) throw noFactor();
        return answer(factor);
      },
      { parse: "none" },
    )
    .all(
      `${user}/Identities`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "POST");
        if (isRead(request)) return answer(await users.listIdentities(caller, params.id));
        requireJson(request);
        requireScopes(caller, "Settings:Update");
        return answer(await users.linkIdentity(caller, params.id, await readJson(request)));
      },
      { parse: "none" },
    )
    .all(
      `${user}/Identities/:identityId`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "DELETE");
        return answer(await users.unlinkIdentity(caller, params.id, params.identityId));
      },
      { parse: "none" },
    )
    .all(
      `${user}/Sessions`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET", "DELETE");
        if (!isRead(request)) {
          return answer(withoutRecords({ Ended: await users.endSessions(caller, params.id) }));
        }
        return answer(await users.listSessions(caller, params.id, requestUrl(request).searchParams));
      },
      { parse: "none" },
    )
    .all(
      `${user}/Sessions/:sessionId`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "DELETE");
        return answer(await users.endSession(caller, params.id, params.sessionId));
      },
      { parse: "none" },
    );
}
