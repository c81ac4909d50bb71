import { SCOPES } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import type { MasterKey } from "../../master-key.ts";
import type { TenantId } from "../../tenant-id.ts";
import { type Client, findSettingsClient } from "../store.ts";
import { nobodysTenant } from "./reference.ts";

export const SETTINGS_CALLBACK_PATH = "/settings/callback";

/** Made with its tenant. */
export const SETTINGS_APPLICATION = {
  name: "Gatehouse Settings",
  description: "The Settings pages of Gatehouse, as an application that people sign in to.",
};

/**
 * The client by which people sign in to a tenant's Settings. It is as it has to be, whatever somebody has made of its
 * Application and wherever PUBLIC_URL stands today. Where there is no such tenant, or its Application is not active, it
 * looks the same, and nobody can sign in.
 */
export async function settingsClientOf(
  { sql, masterKey, issuer }: { sql: Sql; masterKey: MasterKey; issuer: string },
  tenantId: TenantId,
): Promise<Client> {
  const found = await findSettingsClient(sql, tenantId);
  const nobodys = { id: 0, tenantId: nobodysTenant(masterKey, tenantId), identityProvider: null };
  const { id, tenantId: own, identityProvider } = found?.isActive ? found : nobodys;
  return {
    id,
    tenantId: own,
    identityProvider,
    name: SETTINGS_APPLICATION.name,
    webSite: "",
    isActive: true,
    isSettings: true,
    clientType: "confidential",
    grantTypes: ["authorization_code"],
    // Whoever comes in has a role's scopes in Settings, and of these tokens none leaves the process.
    scopes: [...SCOPES],
    redirectUris: [issuer + SETTINGS_CALLBACK_PATH],
    postLogoutRedirectUris: [],
    accessTokenAlg: "EdDSA",
    idTokenAlg: "RS256",
    firstParty: true,
    // It has no secret, so nobody outside can redeem a code.
    digests: [],
  };
}
