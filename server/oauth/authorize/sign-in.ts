// POST /signin: what the sign-in page sends.

import { originOf, recordAudit } from "../../audit/index.ts";
import { readForm } from "../../http/body.ts";
import { type Caller, pageEndpoint, throttled } from "../../signin/index.ts";
import { type AuthorizationRequest, checkRequest } from "./authorization-request.ts";
import { tellingTheClient } from "./authorize.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { type SignInState, signInPage } from "./pages.tsx";
import { withoutPrompts } from "./parameters.ts";
import { goTo, readTarget, type Target } from "./target.ts";

/** One text for every way it can fail: whether there is such an account is not for strangers to know. */
const REFUSED = "The user name or the password is wrong.";
const WRONG_USER = "The application asked for another account. Sign in with that one.";

export function signInEndpoint(deps: AuthorizeDependencies) {
  return pageEndpoint(deps.endpoints, "/signin", ["POST"], async (request, caller) => {
    const form = await readForm(request);
    const target = readTarget(form.get("request"));
    return tellingTheClient(deps, () => signIn(deps, request, caller, form, target));
  });
}

async function signIn(
  deps: AuthorizeDependencies,
  request: Request,
  caller: Caller,
  form: Map<string, string>,
  target: Target,
): Promise<Response> {
  const checked = await checkRequest(deps, target.door, target.parameters);
  deps.forms.require(request, form.get("csrf"));
  const username = form.get("username") ?? "";
  const again = (state: Omit<SignInState, "username">) =>
    signInPage(deps.endpoints.site, target, checked, deps.forms.protect(request), { username, ...state });

  const { tenantId } = checked.client;
  const clientId = String(checked.client.id);
  const password = form.get("password") ?? "";
  const result = await deps.signIn(request, { tenantId, clientId, username, password, caller });
  if (result.outcome === "throttled") return again(throttled(result.retryAfter));
  if (result.outcome === "refused") return again({ problem: REFUSED, status: 422 });
  const { userId } = result.authentication;
  if (!isExpected(checked, userId)) {
    const failure = { subject: { type: "User", id: userId }, details: { Reason: "NotTheUserAskedFor" } };
    await recordAudit(deps.sql, tenantId, originOf(request, { clientId }), { kind: "SignIn.Failed", ...failure });
    return again({ problem: WRONG_USER, status: 422 });
  }
  const session = await deps.sessions.begin(request, result.authentication, caller);
  const rest = withoutPrompts(target.parameters, ["login", "select_account"]);
  return goTo(deps.endpoints.site, target.path, rest, [session, ...result.cookies]);
}

function isExpected({ expectedUser }: AuthorizationRequest, userId: number): boolean {
  return expectedUser === undefined || expectedUser === userId;
}
