// Signing in at another provider (docs/behaviour.md "External identity providers"): there, and back. The authorization
// request waits meanwhile, and then goes on as after any sign-in.

import { Elysia } from "elysia";
import { originOf } from "../../audit/index.ts";
import { BadInput } from "../../errors.ts";
import { toRecordId } from "../../http/record-id.ts";
import { requestUrl } from "../../http/request-url.ts";
import { beginSessionByProvider, type Caller, pageEndpoint } from "../../signin/index.ts";
import { checkRequest } from "./authorization-request.ts";
import { tellingTheClient } from "./authorize.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { withoutPrompts } from "./parameters.ts";
import { refuse, sendToProvider, tellingTheUser, usableProvider } from "./send-to-provider.ts";
import { isExpected } from "./sign-in.ts";
import { goTo, readTarget } from "./target.ts";
import { linkPage } from "./upstream-pages.tsx";

export function upstreamEndpoints(deps: AuthorizeDependencies) {
  const begin = pageEndpoint(deps.endpoints, "/signin/upstream/:id", ["GET"], async (request) => {
    const url = requestUrl(request);
    const target = readTarget(url.searchParams.get("request") ?? undefined);
    return tellingTheClient(deps, async () => {
      const checked = await checkRequest(deps, target.door, target.parameters);
      return sendToProvider(deps, request, target, checked, providerIdOf(url));
    });
  });
  const callback = pageEndpoint(deps.endpoints, "/signin/upstream/:id/callback", ["GET"], (request, caller) =>
    comeBack(deps, request, caller),
  );
  return new Elysia().use(begin).use(callback);
}

async function comeBack(deps: AuthorizeDependencies, request: Request, caller: Caller): Promise<Response> {
  const url = requestUrl(request);
  const taken = await deps.upstream.take(request, providerIdOf(url), url.searchParams.get("state") ?? "");
  if (!taken) {
    throw new BadInput(
      "This sign-in has expired, is over already, or was begun in another browser. Go back to the application and start again.",
    );
  }
  if (deps.accountReturns.isAwaited(taken)) return deps.accountReturns.comeBack(request, caller, taken, url.search);
  const { attempt, checks } = taken;
  const target = readTarget(attempt.target);
  return tellingTheClient(deps, async () => {
    const checked = await checkRequest(deps, target.door, target.parameters);
    const provider = await usableProvider(deps, checked, attempt.providerId);
    const way = { request, target, checked, provider };
    return tellingTheUser(deps, way, async () => {
      const clientId = String(checked.client.id);
      const identity = await deps.upstream.identify(provider, attempt, checks, url.search);
      const account = await deps.upstream.accountOf(attempt.tenantId, provider, identity, (userId) =>
        originOf(request, { actor: { type: "User", id: userId }, clientId }),
      );
      if (account.outcome === "inactive") return refuse(deps, way, "inactive", account);
      if (account.outcome === "stranger") return refuse(deps, way, "stranger");
      if (account.outcome === "link") {
        const begun = { providerId: provider.id, target: attempt.target, maxAge: attempt.maxAge ?? undefined };
        const link = await deps.upstream.proceed(request, attempt.tenantId, begun, identity);
        return linkPage(deps, way, { link, identity, username: identity.fields.Username ?? "" });
      }
      const { userId } = account;
      if (!isExpected(checked, userId)) return refuse(deps, way, "other-user", { userId });
      const user = { userId, clientId };
      const cookies = await beginSessionByProvider(deps, request, caller, attempt, identity, user);
      const rest = withoutPrompts(target.parameters, ["login", "select_account"]);
      return goTo(deps.endpoints.site, target.path, rest, cookies);
    });
  });
}

/** Of `/signin/upstream/{Id}`; 0 for what can be no provider's. */
function providerIdOf({ pathname }: URL): number {
  return toRecordId(pathname.split("/")[3]) ?? 0;
}
