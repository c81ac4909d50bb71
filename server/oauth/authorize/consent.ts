// POST /consent: what the consent page sends.

import { originOf, recordAudit } from "../../audit/index.ts";
import type { Transaction } from "../../db/sql.ts";
import { BadInput } from "../../errors.ts";
import { readForm } from "../../http/body.ts";
import { pageEndpoint, type Session } from "../../signin/index.ts";
import { rememberConsent } from "../clients/consents.store.ts";
import { checkRequest, RefusedRequest } from "./authorization-request.ts";
import { type AuthorizeDependencies, grantableScopes, startedSessionFor, tellingTheClient } from "./authorize.ts";
import { answerDevice } from "./device-pages.tsx";
import { goTo, queryOf, readTarget, type Target, withoutPrompts } from "./parameters.ts";
import { AuthorizationError } from "./reply.ts";

export function consentEndpoint(deps: AuthorizeDependencies) {
  return pageEndpoint(deps.endpoints, "/consent", ["POST"], async (request) => {
    const form = await readForm(request);
    const target = readTarget(form.get("request"));
    return tellingTheClient(deps, () => decide(deps, request, form, target));
  });
}

async function decide(
  deps: AuthorizeDependencies,
  request: Request,
  form: Map<string, string>,
  asked: Target,
): Promise<Response> {
  const { site } = deps.endpoints;
  const checked = await checkRequest(deps, asked);
  const { target } = checked;
  const session = await startedSessionFor(deps, request, checked);
  // It has ended meanwhile, or needs a second factor by now: sign in, and be asked again.
  if (!session || session.isUnfinished) return goTo(site, target.path, queryOf(target.parameters));
  deps.forms.require(request, form.get("csrf"), session);
  const { device } = checked;
  if (device) return answerDevice(deps, request, form, { ...checked, device }, session);
  const decision = form.get("decision");
  if (decision === "deny") {
    throw new RefusedRequest(
      new AuthorizationError("access_denied", "The user has denied the access."),
      checked.reply,
      true,
    );
  }
  if (decision !== "allow") throw new BadInput("decision must be allow or deny.");
  const scopes = await grantableScopes(deps, checked, session);
  await deps.sql.beginFor(session.tenantId, (tx) => giveConsent(tx, request, session, checked.client.id, scopes));
  return goTo(site, target.path, withoutPrompts(target.parameters, ["login", "select_account", "consent"]));
}

export async function giveConsent(
  tx: Transaction,
  request: Request,
  { tenantId, userId }: Session,
  clientId: number,
  scopes: string[],
): Promise<void> {
  const user = { type: "User", id: userId } as const;
  await rememberConsent(tx, tenantId, userId, clientId, scopes);
  await recordAudit(tx, tenantId, originOf(request, { actor: user, clientId: String(clientId) }), {
    kind: "Consent.Given",
    subject: user,
    details: { ApplicationId: String(clientId), Scopes: scopes },
  });
}
