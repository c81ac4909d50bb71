// The interface of a grant. Each grant is one file and one line in index.ts.

import type { Sql } from "../../../platform/db/sql.ts";
import { type Access, recordAudit } from "../../../records/index.ts";
import type { Api } from "../apis/contract.ts";
import { originOfClient } from "../clients/client-authentication.ts";
import type { Client } from "../clients/store.ts";
import type { TOKEN_REQUEST, TokenResponse } from "../contract.ts";
import type { Sent } from "../declared.ts";
import { type Door, IGNORED_SCOPES } from "../door.ts";
import { TokenError } from "../errors.ts";
import { askableWith, ENTITY_API, standardScopes, type Target, withoutScope } from "../resources.ts";
import { grantedScopes, ScopeNotGranted } from "../scope-parameter.ts";
import type { Families } from "../tokens/families.ts";
import type { Tokens } from "../tokens/tokens.ts";

export interface GrantRequest {
  request: Request;
  /** Authenticated and allowed to use this grant. */
  client: Client;
  form: Sent<typeof TOKEN_REQUEST>;
  door: Door;
  sql: Sql;
  tokens: Tokens;
  families: Families;
  apis: readonly Api[];
  allApis: readonly Api[];
  /** The request's resource (RFC 8707): ENTITY_API or an API's Id. */
  resource: string | undefined;
  /** The thumbprint of the key proved by DPoP; undefined: none. */
  jkt: string | undefined;
  access: Pick<Access, "permissionsOf" | "findRecords">;
}

/** @throws TokenError */
export type Grant = (request: GrantRequest) => Promise<Issued>;
/** Key binding is done outside the grants. */
export type Issued = Omit<TokenResponse, "token_type"> & {
  asked?: string | undefined;
};

/** A reused code was stolen, so its tokens are revoked (RFC 6749 4.1.2). */
export async function revokeReused(
  { request, client, sql, families }: Pick<GrantRequest, "request" | "client" | "sql" | "families">,
  what: "code" | "device_code",
  used: { familyId: string | null; userId: number | null } | undefined,
): Promise<never> {
  const { tenantId } = client;
  const familyId = used?.familyId;
  if (familyId) {
    await sql.beginFor(tenantId, async (tx) => {
      if ((await families.revoke(tx, tenantId, { familyId })) === 0) return;
      await recordAudit(tx, tenantId, originOfClient(request, client), {
        kind: what === "code" ? "AuthorizationCode.Reused" : "DeviceCode.Reused",
        subject: { type: "User", id: used.userId! },
        details: { FamilyId: familyId },
      });
    });
  }
  throw new TokenError("invalid_grant", `The ${what} was already used; all its tokens are revoked.`);
}

/** The requested scopes that the client has. @throws TokenError invalid_scope */
export function requestedScopes(
  { client, apis, door, form }: Pick<GrantRequest, "client" | "apis" | "door" | "form">,
  target: Target,
  owned: string[],
): string[] {
  const resources = [target?.id ?? ENTITY_API];
  const askable = askableWith(apis, resources, owned);
  try {
    return grantedScopes(form.scope, askable, standardScopes(door, apis, resources), IGNORED_SCOPES[door]);
  } catch (error) {
    if (!(error instanceof ScopeNotGranted)) throw error;
    const problem = withoutScope(apis, client.scopes, error.scopes);
    throw new TokenError("invalid_scope", `${problem} Request fewer, or *.`);
  }
}
