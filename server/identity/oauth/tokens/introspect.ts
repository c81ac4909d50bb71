// POST /oauth2/introspect (RFC 7662).

import type { Queries, Sql } from "../../../platform/db/sql.ts";
import { NO_STORE } from "../../../platform/http/conditions.ts";
import { acceptedTypes } from "../../../platform/http/request.ts";
import type { FindApis } from "../apis/known-apis.ts";
import type { AuthenticateClient } from "../clients/client-authentication.ts";
import type { Client } from "../clients/store.ts";
import { INTROSPECTED, TOKEN_REFERENCE } from "../contract.ts";
import { CLIENT, type FormEndpoint } from "../declared.ts";
import { INTROSPECTION_PATH } from "../door.ts";
import { formEndpoint, type OnFailure } from "../endpoint.ts";
import { TokenError } from "../errors.ts";
import { issuable } from "../issuable.ts";
import { apiOfAudience } from "../resources.ts";
import type { AccessTokenClaims, ReadAccessToken } from "./access-token.ts";
import type { Families, PresentedRefreshToken } from "./families.ts";
import { subjectFor } from "./subjects.ts";
import type { Tokens } from "./tokens.ts";

export interface IntrospectionDependencies {
  sql: Sql;
  tokens: Tokens;
  families: Families;
  issuer: string;
  findApis: FindApis;
  authenticateClient: AuthenticateClient;
  onFailure: OnFailure;
}

const INACTIVE = { active: false };

export const NO_TOKEN = [
  { when: "The request is invalid.", error: new TokenError("invalid_request", "token is missing.") },
];

export const INTROSPECTION: FormEndpoint<typeof TOKEN_REFERENCE> = {
  kind: "form",
  door: "rfc",
  path: INTROSPECTION_PATH,
  id: "introspect",
  form: TOKEN_REFERENCE,
  summary: "Introspect a token (RFC 7662)",
  description:
    "For confidential clients. A token for an Api is visible to the client of its ApplicationId, and to the client it was " +
    "issued to. A client registered without an initial access token sees only its own tokens. Other tokens are " +
    "reported as inactive. With Accept: application/token-introspection+jwt the response is a JWT that contains it " +
    "in token_introspection (RFC 9701).",
  examples: { form: { ...CLIENT, token: "<ACCESS_TOKEN>" } },
  answer: {
    description: "The token's claims, or active: false.",
    schema: INTROSPECTED,
    example: INACTIVE,
  },
  refused: NO_TOKEN,
};

/** Tokens that the client may not see are reported as inactive. */
export function introspectionController(deps: IntrospectionDependencies) {
  const { sql, tokens, families, issuer } = deps;
  return formEndpoint(INTROSPECTION, deps, async ({ request, client, form }) => {
    const { access, refresh } = await readPresentedToken(tokens, families, form.token);
    requireSecret(client);
    const found = access
      ? await describeAccessToken(deps, client, access)
      : refresh && (await describeRefreshToken(sql, families, issuer, client, refresh));
    const claims = found ?? INACTIVE;
    if (!asksForJwt(request)) return claims;
    const headers = { ...NO_STORE, "content-type": INTROSPECTION_JWT };
    return new Response(await tokens.signIntrospection(client, claims), { headers });
  });
}

const INTROSPECTION_JWT = "application/token-introspection+jwt";

/** RFC 9701 4. */
function asksForJwt(request: Request): boolean {
  const weight = acceptedTypes(request);
  return weight(INTROSPECTION_JWT) > 0 && weight(INTROSPECTION_JWT) >= weight("application/json");
}

/** RFC 7662 2.1: without a secret, anyone could probe tokens. */
function requireSecret(client: Client): void {
  if (client.clientType !== "confidential") {
    throw new TokenError("invalid_client", "Only a confidential client can introspect tokens.");
  }
}

async function describeAccessToken(
  deps: Pick<IntrospectionDependencies, "findApis" | "issuer">,
  client: Client,
  { claims }: ReadAccessToken,
) {
  const { grant_id: _, ...shown } = claims;
  const isForIt = claims.tenant === client.tenantId && (await mayIntrospect(deps, client, claims));
  return isForIt ? { ...shown, active: true, token_type: claims.cnf ? "DPoP" : "Bearer" } : undefined;
}

/**
 * A token for an API is shown to the API's client and to the client it was issued to (RFC 7662 4). A token for the
 * entity API is shown to all clients of its tenant; unvouched clients see only their own.
 */
async function mayIntrospect(
  { findApis, issuer }: Pick<IntrospectionDependencies, "findApis" | "issuer">,
  client: Client,
  { aud, client_id }: AccessTokenClaims,
): Promise<boolean> {
  const isOwn = client_id === String(client.id);
  if (aud === issuer) return isOwn || !client.isOpen;
  const api = apiOfAudience(await findApis(client.tenantId), aud);
  return api !== undefined && (api.applicationId === client.id || isOwn);
}

async function describeRefreshToken(
  sql: Queries,
  families: Families,
  issuer: string,
  client: Client,
  presented: PresentedRefreshToken,
) {
  if (presented.clientId !== client.id) return undefined;
  const family = await families.liveFamily(sql, client.tenantId, presented);
  return (
    family && {
      active: true,
      scope: issuable(client, family).scopes.join(" "),
      client_id: String(client.id),
      sub: family.userId === null ? String(client.id) : subjectFor(client, family.userId),
      iss: issuer,
      iat: Math.floor(family.rotatedOn.getTime() / 1000),
      exp: Math.floor(family.endsOn.getTime() / 1000),
    }
  );
}

export interface RecognizedToken {
  /** At most one of the two; neither if it is not of this issuer or has expired. */
  access?: ReadAccessToken;
  refresh?: PresentedRefreshToken;
}

/** token_type_hint is not needed, and an unknown value is ignored (RFC 7009 2.1). */
export async function readPresentedToken(tokens: Tokens, families: Families, token: string): Promise<RecognizedToken> {
  const access = await tokens.readAnyAccessToken(token);
  return access ? { access } : { refresh: await families.read(token) };
}
