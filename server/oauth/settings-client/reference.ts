// The client_id by which people sign in to Settings. It is sealed: who has typed the name of an organisation is led to the
// sign-in page with one, whether there is such an organisation or not, and cannot tell which it was.

import { createHmac } from "node:crypto";
import { derivedKeys, derivedMasterKey, type MasterKey, seal, unseal } from "../../master-key.ts";
import type { TenantId } from "../../tenant-id.ts";

const PURPOSE = "client_id of Settings";
/** A sealed UUID in base64url. */
const FORM = /^[\w-]{87}$/;

export function toReference(masterKey: MasterKey, tenantId: TenantId): string {
  return seal(derivedMasterKey(masterKey, PURPOSE), PURPOSE, tenantId).toString("base64url");
}

/** @returns undefined for any other client_id; the tenant need not be there */
export function readReference(masterKey: MasterKey, clientId: string): TenantId | undefined {
  if (!FORM.test(clientId)) return undefined;
  try {
    return unseal(derivedMasterKey(masterKey, PURPOSE), PURPOSE, Buffer.from(clientId, "base64url")) as TenantId;
  } catch {
    return undefined;
  }
}

/**
 * The id that a tenant of this name would have, and none has. It is always the same, so that what is tried there counts
 * as it does anywhere.
 */
export function nobodysTenant(masterKey: MasterKey, name: string): TenantId {
  const [key] = derivedKeys(masterKey, "tenants that there are not");
  const hex = createHmac("sha256", key!).update(name).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  ) as TenantId;
}
