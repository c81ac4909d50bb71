// What of a second factor is sealed at rest.

import type { Queries } from "../../db/connection.ts";
import { derivedKeyBeside, type MasterKey, seal, unseal } from "../../master-key.ts";
import type { TenantId } from "../../tenant-id.ts";
import { listFactorsWithoutRecoveryKey, type SealedFactor, saveRecoveryKey } from "./store.ts";

export const TOTP_PURPOSE = "TOTP secret";
export const RECOVERY_KEY_PURPOSE = "recovery codes' key";
/** Before there was a key for each user, digests were made by one that comes of the master key. */
const DERIVED_PURPOSE = "recovery codes";

export function recoveryKeyOf(masterKey: MasterKey, { secret, recoveryKey }: SealedFactor): string {
  if (recoveryKey) return unseal(masterKey, RECOVERY_KEY_PURPOSE, recoveryKey);
  const sameAge = { purpose: TOTP_PURPOSE, value: secret };
  return derivedKeyBeside(masterKey, DERIVED_PURPOSE, sameAge).toString("base64");
}

/** Gives those a key of their own that have none yet, so that their codes outlive the master key. */
export async function keepRecoveryKeys(sql: Queries, masterKey: MasterKey): Promise<void> {
  for (const factor of await listFactorsWithoutRecoveryKey(sql)) {
    const sealed = seal(masterKey, RECOVERY_KEY_PURPOSE, recoveryKeyOf(masterKey, factor));
    await saveRecoveryKey(sql, factor.tenantId as TenantId, factor.userId, sealed);
  }
}
