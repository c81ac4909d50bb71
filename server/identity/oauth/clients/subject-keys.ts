// Tenants' keys for pairwise subjects, sealed by MASTER_KEY. A key never changes, because all subjects would change.

import { randomBytes } from "node:crypto";
import type { Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { SealedColumn, Vault } from "../../../platform/vault.ts";
import { keepSubjectKey } from "./subject-keys.store.ts";

const PURPOSE = "subject key";
const KEY_BYTES = 32;

export const SEALED_SUBJECT_KEYS: SealedColumn = { table: "tenants", column: "subject_key", purpose: PURPOSE };

/** @param sealed the stored key; null: the tenant has none yet, and one is created */
export type OpenSubjectKey = (tenantId: TenantId, sealed: Uint8Array | null) => Promise<Uint8Array>;

export function createOpenSubjectKey(sql: Sql, vault: Vault): OpenSubjectKey {
  const { seal, open } = vault.sealFor(PURPOSE);
  const newKey = () => seal(randomBytes(KEY_BYTES).toString("base64"));
  return async (tenantId, sealed) =>
    Buffer.from(open(sealed ?? (await keepSubjectKey(sql, tenantId, newKey()))), "base64");
}
