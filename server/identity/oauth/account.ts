// The OAuth provider as the account pages use it: applications, their grants from users, and the tokens they hold.

import type { Queries, Sql } from "../../platform/db/sql.ts";
import { toRecordId } from "../../platform/http/query.ts";
import type { TenantId } from "../../platform/ids.ts";
import { originOf } from "../../records/index.ts";
import type { texts } from "../../ui/index.ts";
import type { FindApis } from "./apis/known-apis.ts";
import {
  expireCodes,
  expireCodesBy,
  expireDevices,
  expireDevicesBy,
  inWords,
  type WhichSessions,
} from "./authorize/index.ts";
import type { FindKnownClient } from "./clients/known-clients.ts";
import type { ConsoleClient } from "./console-client.ts";
import type { Families } from "./tokens/families.ts";
import { findUserGrant, listUserGrants } from "./user-grants.store.ts";
import { endUserGrant } from "./user-grants.ts";

const MAX_LISTED = 200;

interface ApplicationsDependencies {
  sql: Sql;
  families: Families;
  findApis: FindApis;
  findClient: FindKnownClient;
  consoleClient: Pick<ConsoleClient, "find">;
}

export function createApplications({ sql, families, findApis, findClient, consoleClient }: ApplicationsDependencies) {
  return {
    async isOf(tenantId: TenantId, clientId: string) {
      const client = (await consoleClient.find(clientId, "Account")) ?? (await findClient(clientId, "anew"));
      return client?.tenantId === tenantId;
    },
    async allowed(tenantId: TenantId, userId: number, language: texts.Language) {
      const grants = await listUserGrants(sql, tenantId, { userId }, MAX_LISTED, undefined);
      const apis = await findApis(tenantId);
      return grants.map(({ clientId, clientName, consented, grantedOn, lastUsedOn, ...granted }) => {
        return {
          clientId,
          name: clientName,
          wants: inWords(granted, apis, language),
          isConsented: consented,
          grantedOn,
          lastUsedOn,
        };
      });
    },
    async revoke(request: Request, tenantId: TenantId, userId: number, clientId: string) {
      const id = toRecordId(clientId);
      if (id === undefined) return;
      await sql.beginFor(tenantId, async (tx) => {
        const grant = await findUserGrant(tx, tenantId, userId, id);
        if (!grant) return;
        const origin = originOf(request, { actor: { type: "User", id: userId } });
        await endUserGrant(tx, families, tenantId, grant, origin);
      });
    },
  };
}

/** Codes first: a code that is being redeemed then has its family already. */
export function createEndGrants(families: Families) {
  return async (tx: Queries, tenantId: TenantId, userId: number, which: WhichSessions): Promise<void> => {
    await expireCodes(tx, tenantId, userId, which);
    // Devices do not depend on a session, so they end only when all sessions end.
    if (!("sessionId" in which)) await expireDevices(tx, tenantId, userId);
    await families.revoke(tx, tenantId, "sessionId" in which ? which : { userId, ...which });
  };
}

export function createEndGrantsBy(families: Families) {
  return async (tx: Queries, tenantId: TenantId, identityProviderId: number): Promise<void> => {
    await expireCodesBy(tx, tenantId, identityProviderId);
    await expireDevicesBy(tx, tenantId, identityProviderId);
    await families.revoke(tx, tenantId, { identityProviderId });
  };
}
