// POST /signin/passkey: a passkey instead of user name and password. POST /signin/passkey-factor: beside a password.

import { readForm } from "../../../platform/http/body.ts";
import { originOf, recordAudit } from "../../../records/index.ts";
import { MessagePage, pageResponse, texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { PURPOSES } from "../../signin/passkeys/passkeys.ts";
import { ACR, type Visitor } from "../../signin/session.ts";
import { type AuthorizationRequest, checkRequest, isExpected } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import {
  type AuthorizationTarget,
  continueRequest,
  goTo,
  readTarget,
  targetText,
  withoutPrompts,
} from "./parameters.ts";
import { secondFactorPage } from "./second-factor.tsx";
import { requireLocal, showSignIn } from "./sign-in.ts";
import { startedSessionFor, tellingTheClient } from "./step.ts";

interface Sent {
  request: Request;
  visitor: Visitor;
  form: Map<string, string>;
}

export function passkeyPages(deps: AuthorizeDependencies): Pages {
  const answering =
    (answer: (sent: Sent, checked: AuthorizationRequest & { target: AuthorizationTarget }) => Promise<Response>) =>
    async (request: Request, visitor: Visitor) => {
      const form = await readForm(request);
      const target = readTarget(form.get("request"));
      return tellingTheClient(deps, request, async () =>
        answer({ request, visitor, form }, await checkRequest(deps, request, target)),
      );
    };
  return {
    "/signin/passkey": { post: answering((sent, checked) => signIn(deps, sent, checked)) },
    "/signin/passkey-factor": { post: answering((sent, checked) => giveFactor(deps, sent, checked)) },
  };
}

async function signIn(
  deps: AuthorizeDependencies,
  sent: Sent,
  checked: AuthorizationRequest & { target: AuthorizationTarget },
): Promise<Response> {
  const { request, visitor, form } = sent;
  const { target, client } = checked;
  requireLocal(checked);
  const again = (state: { problem: string; status: number; headers?: Record<string, string> }) =>
    showSignIn(deps, request, target, checked, { username: checked.loginHint, ...state });
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);
  const result = await deps.passkeys.check(sent, PURPOSES.signIn(targetText(target)));
  if (result.outcome === "refused") return again(result.trouble);
  const { passkey, amr } = result;
  const { tenantId, tenantName, userId } = passkey;
  if (tenantId !== client.tenantId) return elsewherePage(deps, request, tenantName, tenantId);
  const clientId = String(client.id);
  if (!isExpected(checked, userId)) {
    const failure = { subject: { type: "User", id: userId }, details: { Reason: "NotTheUserAskedFor" } };
    await recordAudit(deps.sql, tenantId, originOf(request, { clientId }), { kind: "SignIn.Failed", ...failure });
    return again({ problem: texts.speak(request).t.wrongUser, status: 422 });
  }
  const known = await deps.browsers.remember(request, passkey, visitor.address);
  const authentication = { tenantId, clientId, userId, amr, acr: ACR.twoFactors, passkeyId: passkey.id };
  const { cookie } = await deps.sessions.begin(request, authentication, visitor);
  const rest = withoutPrompts(target.parameters, ["login", "select_account"]);
  return goTo(deps.endpoints.site, target.path, rest, [cookie, known]);
}

async function giveFactor(
  deps: AuthorizeDependencies,
  sent: Sent,
  checked: AuthorizationRequest & { target: AuthorizationTarget },
): Promise<Response> {
  const { request, visitor, form } = sent;
  const { target } = checked;
  const onward = (cookies?: string[]) => continueRequest(deps.endpoints.site, target, cookies);
  const session = await startedSessionFor(deps, request, checked);
  if (!session) return onward();
  const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
  if (stale) return session.isUnfinished ? secondFactorPage(deps, request, target, session, stale) : onward();
  const result = await deps.passkeys.check(sent, PURPOSES.secondFactor(session));
  if (result.outcome === "refused") return secondFactorPage(deps, request, target, session, result.trouble);
  const { passkey, amr } = result;
  if (passkey.tenantId !== session.tenantId || passkey.userId !== session.userId) {
    const trouble = { problem: texts.speak(request).t.passkeyOfAnother, status: 422 };
    return secondFactorPage(deps, request, target, session, trouble);
  }
  const raised = await deps.sessions.raise(request, session, amr, passkey.id);
  return onward([raised, await deps.browsers.remember(request, session, visitor.address)]);
}

/** All organisations share this host, so browsers offer the passkeys of each of them. */
function elsewherePage(
  { endpoints: { site } }: AuthorizeDependencies,
  request: Request,
  organisation: string,
  tenantId: string,
) {
  const language = texts.speak(request);
  const { t } = language;
  const lines = [texts.fill(t.passkeyElsewhere, { organisation }), t.passkeyElsewhereNext];
  const next = {
    href: site.href(`/account?organisation=${tenantId}`),
    text: texts.fill(t.accountAt, { organisation }),
  };
  const page = <MessagePage {...{ site, language, lines, next }} heading={t.otherOrganisationsPasskey} />;
  return pageResponse(page, { status: 422 });
}
