// POST /signin/link: the account's owner signs in once, to link the identity that the provider has proved.

import { BadInput, NotFound } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { originOf } from "../../../records/index.ts";
import { texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import type { Visitor } from "../../signin/session.ts";
import { throttled } from "../../signin/throttle.ts";
import { checkRequest, isExpected } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { goTo, readTarget, withoutPrompts } from "./parameters.ts";
import { tellingTheClient } from "./step.ts";
import { type LinkState, linkPage, shownToLink } from "./upstream.tsx";

export function linkPages(deps: AuthorizeDependencies): Pages {
  return {
    "/signin/link": {
      async post(request, visitor) {
        const form = await readForm(request);
        return tellingTheClient(deps, request, () => link(deps, request, visitor, form));
      },
    },
  };
}

async function link(
  deps: AuthorizeDependencies,
  request: Request,
  visitor: Visitor,
  form: Map<string, string>,
): Promise<Response> {
  const token = form.get("link") ?? "";
  const pending = await deps.upstream.pending(request, token);
  if (!pending) throw overAlready();
  const { tenantId, providerId } = pending;
  const checked = await checkRequest(deps, request, readTarget(pending.target));
  const { target } = checked;
  const provider = await deps.upstream.find(tenantId, providerId);
  if (!provider?.isActive) throw new NotFound(texts.ERRORS.providerInactive);

  const language = texts.speak(request);
  const { t } = language;
  const clientId = String(checked.client.id);
  const username = form.get("username") ?? "";
  const way = { request, target, checked, provider };
  const again = (state: Pick<LinkState, "problem" | "status" | "headers">) =>
    linkPage(deps, way, { link: token, identity: pending.identity, username, ...state });
  const stale = deps.forms.troubleWith(request, form.get("csrf"));
  if (stale) return again(stale);
  if (!deps.forms.hasShown(form.get("csrf"), form.get("shown"), shownToLink(provider, pending.identity))) {
    return again({ problem: t.linkChanged, status: 409 });
  }
  const result = await deps.signIn(request, {
    tenantId,
    clientId,
    username,
    password: form.get("password") ?? "",
    visitor,
  });
  if (result.outcome === "throttled") return again(throttled(result.retryAfter, language));
  if (result.outcome !== "authenticated") return again({ problem: t.wrongSignIn, status: 422 });
  const { userId, amr } = result.authentication;
  if (!isExpected(checked, userId)) return again({ problem: t.wrongUser, status: 422 });
  const by = (id: number) => originOf(request, { actor: { type: "User", id }, clientId });
  const authentication = {
    ...result.authentication,
    amr: [...amr, "fed"],
    identityProviderId: providerId,
    idTokenHint: pending.identity.idTokenHint,
  };
  const { cookie } = await deps.sessions.begin(request, authentication, visitor, async (tx, session) => {
    if (!(await deps.upstream.linkAtSignIn(tx, pending, { ...session, userId }, by))) throw overAlready();
  });
  const rest = withoutPrompts(target.parameters, ["login", "select_account"]);
  return goTo(deps.endpoints.site, target.path, rest, [cookie, ...result.cookies]);
}

function overAlready(): BadInput {
  return new BadInput(texts.ERRORS.linkOverAtApplication);
}
