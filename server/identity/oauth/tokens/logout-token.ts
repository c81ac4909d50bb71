import type { TenantId } from "../../../platform/ids.ts";
import type { OpenSubjectKey } from "../clients/subject-keys.ts";
import type { SigningAlg } from "../contract.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { signJwt } from "./jwt.ts";
import { type SubjectOwner, sessionFor, subjectFor } from "./subjects.ts";

/** Seconds; Back-Channel Logout 2.4 recommends at most two minutes. */
const LIFETIME = 120;
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

export interface ClientSessionEnd extends Omit<SubjectOwner, "subjectKey"> {
  tenantId: TenantId;
  /** null: its tenant has none yet. */
  sealedSubjectKey: Uint8Array | null;
  clientId: number;
  /** The client's id_token algorithm. */
  alg: SigningAlg;
  /** Empty: none. */
  typ: string;
  userId: number;
  sid: string;
}

export type IssueLogoutToken = (ended: ClientSessionEnd) => Promise<string>;

/** OIDC Back-Channel Logout 2.4. Each has a new jti, because receivers may reject a repeated one. */
export function createLogoutTokens(
  keys: SigningKeys,
  openSubjectKey: OpenSubjectKey,
  issuer: string,
): IssueLogoutToken {
  return async ({ tenantId, sealedSubjectKey, clientId, alg, typ, userId, sid, ...owner }) => {
    const client = { ...owner, subjectKey: await openSubjectKey(tenantId, sealedSubjectKey) };
    return signJwt(keys, alg, typ, LIFETIME, {
      iss: issuer,
      sub: subjectFor(client, userId),
      aud: String(clientId),
      jti: Bun.randomUUIDv7(),
      sid: sessionFor(client, sid),
      events: { [EVENT]: {} },
    });
  };
}
