// POST /signin: the sign-in form. GET /signin/local: the form for users who are otherwise redirected to a provider.

import { Permission } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { originOf, recordAudit } from "../../../records/index.ts";
import { texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { PURPOSES } from "../../signin/passkeys/passkeys.ts";
import type { Visitor } from "../../signin/session.ts";
import { findSignInRules } from "../../signin/store.ts";
import { throttled } from "../../signin/throttle.ts";
import { canSignInAnew } from "../../signin/upstream/upstream.ts";
import {
  type AuthorizationRequest,
  checkRequest,
  isExpected,
  isOwn,
  wantsFreshSignIn,
} from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { type SignInState, signInPage } from "./pages.tsx";
import { type AuthorizationTarget, goTo, readCarried, readTarget, targetText, withoutPrompts } from "./parameters.ts";
import { tellingTheClient } from "./step.ts";

export function signInPages(deps: AuthorizeDependencies): Pages {
  return {
    "/signin": {
      async post(request, visitor) {
        const form = await readForm(request);
        const target = readTarget(form.get("request"));
        return tellingTheClient(deps, request, () => signIn(deps, request, visitor, form, target));
      },
    },
    // For applications that redirect users to their provider without showing a page.
    "/signin/local": {
      async get(request) {
        const target = readCarried(request);
        return tellingTheClient(deps, request, async () => {
          const checked = await checkRequest(deps, request, target);
          requireLocal(checked);
          return showSignIn(deps, request, checked.target, checked, { username: checked.loginHint });
        });
      },
    },
  };
}

async function signIn(
  deps: AuthorizeDependencies,
  request: Request,
  visitor: Visitor,
  form: Map<string, string>,
  asked: AuthorizationTarget,
): Promise<Response> {
  const checked = await checkRequest(deps, request, asked);
  const { target } = checked;
  requireLocal(checked);
  const username = form.get("username") ?? "";
  const keep = form.has("keep");
  const again = (state: Omit<SignInState, "username">) =>
    showSignIn(deps, request, target, checked, { username, keep, ...state });
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);

  const { tenantId, isConsole } = checked.client;
  const clientId = String(checked.client.id);
  const password = form.get("password") ?? "";
  const result = await deps.signIn(request, {
    tenantId,
    clientId,
    username,
    password,
    visitor,
    isNamed: isNamed(checked),
  });
  const language = texts.speak(request);
  const { t } = language;
  if (result.outcome === "throttled") return again(throttled(result.retryAfter, language));
  // One text for every failure, so strangers cannot probe for accounts or organisations.
  if (result.outcome === "refused")
    return again({ problem: isConsole ? t.wrongSignInAtSettings : t.wrongSignIn, status: 422 });
  const { userId } = result.authentication;
  if (!isExpected(checked, userId)) {
    const failure = { subject: { type: "User", id: userId }, details: { Reason: "NotTheUserAskedFor" } };
    await recordAudit(deps.sql, tenantId, originOf(request, { clientId }), { kind: "SignIn.Failed", ...failure });
    return again({ problem: t.wrongUser, status: 422 });
  }
  // Where the box is not shown, a page asks next.
  const authentication = { ...result.authentication, ...(!isNamed(checked) && { keep }) };
  const { cookie } = await deps.sessions.begin(request, authentication, visitor);
  const rest = withoutPrompts(target.parameters, ["login", "select_account"]);
  return goTo(deps.endpoints.site, target.path, rest, [cookie, ...result.cookies]);
}

/** The user typed the organisation, so the tenant may not exist. */
export const isNamed = ({ client, accountPage }: AuthorizationRequest) => client.isConsole || accountPage !== undefined;

/** Whether users may give a password or passkey here. */
function isLocal({ client: { identityProvider } }: Pick<AuthorizationRequest, "client">): boolean {
  return !identityProvider || identityProvider.allowLocal;
}

/** @throws Permission if the application's users must sign in at an identity provider */
export function requireLocal(checked: AuthorizationRequest): void {
  if (isLocal(checked)) return;
  throw new Permission(texts.ERRORS.onlyProvider);
}

type ShowSignInDependencies = Pick<
  AuthorizeDependencies,
  "sql" | "endpoints" | "forms" | "upstream" | "passkeys" | "forgotten"
>;

/** The sign-in page with the tenant's providers; an application with its own provider shows only that one. */
export async function showSignIn(
  { sql, endpoints: { site }, forms, upstream, passkeys, forgotten }: ShowSignInDependencies,
  request: Request,
  target: AuthorizationTarget,
  checked: AuthorizationRequest,
  state: SignInState,
): Promise<Response> {
  const { tenantId, identityProvider } = checked.client;
  const all = await upstream.offered(tenantId);
  const offered = identityProvider ? all.filter(({ id }) => id === identityProvider.id) : all;
  const providers = wantsFreshSignIn(checked) && !isOwn(checked) ? offered.filter(canSignInAnew) : offered;
  const protection = forms.protect(request);
  const passkey = isLocal(checked)
    ? await passkeys.ask(protection.csrf, PURPOSES.signIn(targetText(target)))
    : undefined;
  // A typed organisation may not exist, and its page does not tell.
  const rules = isNamed(checked) ? undefined : await findSignInRules(sql, tenantId);
  const ways = { passkey, providers, rules, canSendMail: forgotten.canSend };
  return signInPage(site, texts.speak(request), target, checked, protection, ways, state);
}
