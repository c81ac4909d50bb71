import { originOfClient } from "../clients/client-authentication.ts";
import { requireField } from "../endpoint.ts";
import { TokenError } from "../errors.ts";
import { leftOf } from "../issuable.ts";
import { askableWith, carriedScopes, ENTITY_API, resourcesOfScopes, type Target, targetOf } from "../resources.ts";
import type { Family } from "../tokens/families.store.ts";
import { type GrantRequest, type Issued, requestedScopes } from "./grant.ts";
import { issueTokens } from "./issue.ts";

/** RFC 6749 6 and RFC 8707 2.2: scope and resource are narrowed for this access token only, never widened. */
export async function refreshToken(asked: GrantRequest): Promise<Issued> {
  const { request, client, form, sql, families, apis, resource } = asked;
  const presented = await families.read(requireField(form, "refresh_token"));
  if (!presented) throw new TokenError("invalid_grant", "The refresh token is invalid or expired.");
  if (presented.clientId !== client.id) {
    throw new TokenError("another_clients_grant", "The refresh token was issued to another client.");
  }
  let target: Target;
  let granted: string[] = [];
  let userinfoNames: string[] = [];
  const isNarrowed = Boolean(form.scope?.trim());
  const { family, refreshToken: next } = await families.refresh(sql, client.tenantId, presented, {
    // FAPI 2.0 Security Profile 5.3.2.1: they are bound to the client's own key.
    keepsToken: client.securityProfile === "FAPI2",
    origin: originOfClient(request, client),
    async check(found) {
      // The grant without what was withdrawn since.
      const left = leftOf(client, found);
      target = targetOf(apis, left.resources, resource ?? impliedResource(asked, left.resources));
      granted = isNarrowed
        ? requestedScopes(asked, target, left.scopes)
        : askableWith(apis, [target?.id ?? ENTITY_API], left.scopes);
      // Narrowing the scopes also removes additional claims.
      userinfoNames = isNarrowed ? [] : left.claims;
    },
  });
  // OIDC Core 12.2: a new id_token describes the same sign-in, without its nonce.
  return issueTokens(asked, {
    target,
    scopes: granted,
    familyId: family.id,
    refreshToken: next,
    user: userOf(family),
    asked: isNarrowed ? form.scope : carriedScopes(target, family.scopes).join(" "),
    sessionId: family.sessionId ?? undefined,
    userinfoNames,
  });
}

/** The only granted resource with one of the requested scopes (RFC 9068 3). */
function impliedResource({ apis, form }: GrantRequest, granted: string[]): string | undefined {
  const [implied, ...others] = resourcesOfScopes(apis, form.scope).filter(({ resource }) => granted.includes(resource));
  return others.length === 0 ? implied?.resource : undefined;
}

function userOf({ userId, authTime, acr, amr }: Family) {
  if (userId === null || authTime === null) return undefined;
  return { id: userId, authTime: authTime.getTime() / 1000, acr: acr ?? undefined, amr: amr ?? undefined };
}
