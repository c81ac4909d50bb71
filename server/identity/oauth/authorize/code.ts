import { digestOf, newOpaqueValue } from "../../signin/opaque.ts";
import { ACR, type Session } from "../../signin/session.ts";
import { idTokenClaims } from "../claims.ts";
import { type Checked, RefusedRequest } from "./authorization-request.ts";
import type { ClaimsRequest } from "./checks/openid.ts";
import { supportedResponseType } from "./checks/request.ts";
import { type AskedAccess, noteMissing } from "./consent-question.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { usedBefore } from "./pushed.ts";
import { insertCode } from "./store.ts";

/** Seconds (docs/behaviour.md "Lifetimes"). */
const CODE_LIFETIME = { None: 10 * 60, FAPI2: 60 };

/** The response: the code, and in the hybrid flow an id_token (OIDC Core 3.3.2.5). */
export async function issueCode(
  { sql, tokens, log }: Pick<AuthorizeDependencies, "sql" | "tokens" | "log">,
  checked: Checked,
  session: Session,
  asked: AskedAccess,
): Promise<Record<string, string | undefined>> {
  const { door, target, client, reply, redirectUriSent, isHybrid, nonce, codeChallenge, dpopJkt } = checked;
  const { scopes, resources, claims } = asked;
  const { tenantId, userId, id: sessionId, authTime, amr } = session;
  noteMissing(log, checked, userId, asked);
  const acr = answeredAcr(checked.claims, session);
  const code = newOpaqueValue();
  const isFirst = await insertCode(
    sql,
    tenantId,
    digestOf(code),
    {
      clientId: client.id,
      userId,
      sessionId,
      redirectUri: reply.redirectUri,
      redirectUriSent,
      responseType: supportedResponseType(target.parameters),
      scope: target.parameters.sent.scope ?? null,
      scopes,
      resources,
      nonce: nonce ?? null,
      codeChallenge: codeChallenge ?? null,
      dpopJkt: dpopJkt ?? null,
      authTime,
      amr,
      acr,
      claims,
    },
    CODE_LIFETIME[client.securityProfile],
    reply.pushed?.digest,
  );
  if (!isFirst) throw new RefusedRequest(usedBefore(reply.pushed!), reply, "invalid");
  const idToken = isHybrid
    ? await tokens.issueIdToken(client, {
        userId,
        nonce,
        sessionId,
        isSessionAsked: claims.idToken.includes("sid"),
        code,
        authTime: Math.floor(authTime.getTime() / 1000),
        acr,
        amr,
        claims: await idTokenClaims(sql, client, { userId, scopes }, claims.idToken),
      })
    : undefined;
  // docs/behaviour.md "Authorization request": the nonce is a parameter; the RFC door has it only in the id_token.
  return { code, id_token: idToken, nonce: door === "spec" ? nonce : undefined };
}

/** A user with two factors also satisfies an essential acr of one factor (OIDC Core 5.5.1.1). */
function answeredAcr({ acrs }: ClaimsRequest, { acr }: Session): string {
  return acrs?.includes(ACR.oneFactor) && !acrs.includes(acr) ? ACR.oneFactor : acr;
}
