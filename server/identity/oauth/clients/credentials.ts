// Secrets, and changes of credentials in the audit log, whether by an administrator or by the client itself.

import type { Queries } from "../../../platform/db/sql.ts";
import { changesOf } from "../../../platform/http/contract.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { digestOf, newOpaqueValue } from "../../signin/opaque.ts";
import { CREDENTIALS, type Credentials } from "./contract.ts";
import { insertSecret } from "./store.ts";

export async function newSecret(tx: Queries, tenantId: TenantId, applicationId: number, name = "") {
  const secret = newOpaqueValue();
  const made = { id: Bun.randomUUIDv7(), name, digest: digestOf(secret) };
  return { secret, stored: await insertSecret(tx, tenantId, applicationId, made) };
}

/** Other values, such as addresses, are not in the audit log, only that they changed. */
const SHOWN = CREDENTIALS.namesOf(({ audit }) => audit === "value");

/** Undefined if nothing differs. */
export function credentialChanges(before: Credentials, after: Credentials) {
  const [from, to] = [CREDENTIALS.toRecord(before), CREDENTIALS.toRecord(after)];
  return changesOf(from, to, Object.keys(to), SHOWN);
}
