// POST /consent: the consent page's form.

import { BadInput } from "../../../platform/errors.ts";
import { readForm } from "../../../platform/http/body.ts";
import { texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { AuthorizationError } from "../errors.ts";
import { checkRequest, RefusedRequest } from "./authorization-request.ts";
import { issueCode } from "./code.ts";
import { askedOf, giveConsent, hasAsked, requireAny } from "./consent-question.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { answerDevice } from "./device-pages.tsx";
import { nextStep } from "./next-step.ts";
import { consentPage } from "./pages.tsx";
import { type AuthorizationTarget, continueRequest, goTo, readTarget, withoutPrompts } from "./parameters.ts";
import { respond } from "./reply.ts";
import { startedSessionFor, tellingTheClient } from "./step.ts";

export function consentPages(deps: AuthorizeDependencies): Pages {
  return {
    "/consent": {
      async post(request) {
        const form = await readForm(request);
        const target = readTarget(form.get("request"));
        return tellingTheClient(deps, request, () => decide(deps, request, form, target));
      },
    },
  };
}

async function decide(
  deps: AuthorizeDependencies,
  request: Request,
  form: Map<string, string>,
  sent: AuthorizationTarget,
): Promise<Response> {
  const { site } = deps.endpoints;
  const checked = await checkRequest(deps, request, sent);
  const { target, device, reply } = checked;
  const session = await startedSessionFor(deps, request, checked);
  // The session has ended or now needs a second factor, so sign-in and consent are repeated. The account pages ask for none.
  if (!session || session.isUnfinished || checked.accountPage) return continueRequest(site, target);
  const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
  if (stale) {
    const asked = askedOf(checked, session);
    requireAny(asked, checked);
    return consentPage(deps, request, checked, session, asked, stale);
  }
  const decision = form.get("decision");
  if (decision !== "allow" && decision !== "deny") throw new BadInput("decision must be allow or deny.");
  if (decision === "deny") {
    if (device) return answerDevice(deps, request, { ...checked, device }, session, undefined);
    throw new RefusedRequest(new AuthorizationError("access_denied", "The user denied access."), reply, "denied");
  }
  const asked = askedOf(checked, session);
  requireAny(asked, checked);
  const language = texts.speak(request);
  if (!hasAsked(deps.forms, form, checked, session, asked, language)) {
    const changed = { problem: language.t.requestChanged, status: 409 };
    return consentPage(deps, request, checked, session, asked, changed);
  }
  if (device) return answerDevice(deps, request, { ...checked, device }, session, asked);
  await deps.sql.beginFor(session.tenantId, (tx) => giveConsent(tx, request, session, checked, asked));
  const rest = new Set([...checked.prompts].filter((prompt) => prompt !== "consent"));
  const step = await nextStep({ ...checked, prompts: rest }, session, async () => true);
  if (step.name !== "answer") return goTo(site, target.path, withoutPrompts(target.parameters, ["consent"]));
  // Grants exactly what was shown, without later additions to the client or the user.
  return respond(site, request, reply, await issueCode(deps, checked, session, asked));
}
