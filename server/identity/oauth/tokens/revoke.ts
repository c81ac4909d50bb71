// POST /oauth2/revoke (RFC 7009), and the revoked access tokens.

import type { Sql, Transaction } from "../../../platform/db/sql.ts";
import { watch } from "../../../platform/db/watch.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type AuditEntry, recordAudit } from "../../../records/index.ts";
import { type AuthenticateClient, originOfClient } from "../clients/client-authentication.ts";
import type { Client } from "../clients/store.ts";
import { TOKEN_REFERENCE } from "../contract.ts";
import { CLIENT, type FormEndpoint } from "../declared.ts";
import { REVOCATION_PATH } from "../door.ts";
import { formEndpoint, type OnFailure } from "../endpoint.ts";
import { TokenError } from "../errors.ts";
import type { ReadAccessToken } from "./access-token.ts";
import { type Families, ownerOf, type PresentedRefreshToken } from "./families.ts";
import { NO_TOKEN, type RecognizedToken, readPresentedToken } from "./introspect.ts";
import { insertRevokedToken, listRevoked, REVOCATION_CHANNEL } from "./revocations.store.ts";
import type { Tokens } from "./tokens.ts";

export interface RevocationDependencies {
  sql: Sql;
  tokens: Tokens;
  families: Families;
  authenticateClient: AuthenticateClient;
  onFailure: OnFailure;
}

export const REVOCATION: FormEndpoint<typeof TOKEN_REFERENCE> = {
  kind: "form",
  door: "rfc",
  path: REVOCATION_PATH,
  id: "revoke",
  form: TOKEN_REFERENCE,
  summary: "Revoke a token (RFC 7009)",
  description:
    "A refresh token is revoked with its whole family, including access tokens; an access token alone. An unknown " +
    "token counts as revoked.",
  examples: { form: { ...CLIENT, token: "<REFRESH_TOKEN>" } },
  answer: { description: "The token is revoked." },
  refused: NO_TOKEN,
};

/** A refresh token ends its whole family; an access token only itself. Unknown tokens succeed, too (RFC 7009 2.2). */
export function revocationController(deps: RevocationDependencies) {
  const { sql, tokens, families } = deps;
  return formEndpoint(REVOCATION, deps, async ({ request, client, form }) => {
    const presented = await readPresentedToken(tokens, families, form.token);
    requireOwn(client, presented);
    const { access, refresh } = presented;
    const { tenantId } = client;
    await sql.beginFor(tenantId, async (tx) => {
      const revoked = access
        ? await revokeAccessToken(tx, tenantId, access)
        : refresh && (await revokeFamily(tx, families, tenantId, refresh));
      if (revoked)
        await recordAudit(tx, tenantId, originOfClient(request, client), { kind: "Token.Revoked", ...revoked });
    });
    return undefined;
  });
}

/** @returns the audit entry, or undefined if the token was already revoked */
async function revokeAccessToken(
  tx: Transaction,
  tenantId: TenantId,
  { claims: { jti, client_id }, userId }: ReadAccessToken,
): Promise<Omit<AuditEntry, "kind"> | undefined> {
  if (!(await insertRevokedToken(tx, tenantId, jti))) return undefined;
  const owner = { userId: userId ?? null, clientId: Number(client_id) };
  return { subject: ownerOf(owner), details: { TokenId: jti } };
}

async function revokeFamily(
  tx: Transaction,
  families: Families,
  tenantId: TenantId,
  presented: PresentedRefreshToken,
): Promise<Omit<AuditEntry, "kind"> | undefined> {
  const family = await families.revokePresented(tx, tenantId, presented);
  return family && { subject: ownerOf(family), details: { FamilyId: family.id } };
}

/** RFC 7009 2.1: the token must be issued to this client. */
function requireOwn(client: Client, { access, refresh }: RecognizedToken): void {
  const owner = access ? Number(access.claims.client_id) : refresh?.clientId;
  if (owner !== undefined && owner !== client.id) {
    throw new TokenError("unauthorized_client", "The token was issued to another client.");
  }
}

// Revoked access tokens, in memory, because the API checks them on every call.

export interface Revocations {
  /** Whether any of these, a jti or a family's id, is revoked. */
  isRevoked(...ids: string[]): Promise<boolean>;
}

export function createRevocations(sql: Sql): Revocations {
  /** Id → time after which its tokens have expired. */
  const revoked = new Map<string, Date>();
  let since: Date | undefined;

  const watched = watch(sql, REVOCATION_CHANNEL, async () => {
    const { now, next, added } = await listRevoked(sql, since);
    for (const { id, expiresOn } of added) revoked.set(id, expiresOn);
    since = next;
    for (const [id, expiresOn] of revoked) if (expiresOn < now) revoked.delete(id);
  });

  return {
    async isRevoked(...ids) {
      await watched.current();
      return ids.some((id) => revoked.has(id));
    },
  };
}
