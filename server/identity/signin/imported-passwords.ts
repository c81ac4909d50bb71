// Passwords of users as another system stored them (docs/sign-in.md "Imported passwords").

import type { Sql } from "../../platform/db/sql.ts";
import { Conflict } from "../../platform/errors.ts";
import type { TenantId } from "../../platform/ids.ts";
import { readHash } from "../../platform/password-hash/formats.ts";
import { type AuditEntry, type createEntities, recordAudit } from "../../records/index.ts";
import type { Passwords } from "./password.ts";
import type { SecondFactor } from "./second-factor/second-factor.ts";
import { findPasswordHash, replaceImported, saveImported } from "./store.ts";

type StoreApart = Parameters<typeof createEntities>[0]["onApart"];

/** @param weakLifetimeMs after which a weak hash no longer signs in */
export function createImportCredentials(weakLifetimeMs: number, factors: Pick<SecondFactor, "adopt">): StoreApart {
  return async (tx, caller, _, { PasswordHash: hash, TotpSecret: key }, { id, username }) => {
    if (!username) throw new Conflict("PasswordHash and TotpSecret require a Username, with which the User signs in.");
    const { tenantId } = caller;
    const kinds: AuditEntry["kind"][] = [];
    if (typeof hash === "string") {
      const lifetime = readHash(hash).isWeak ? weakLifetimeMs : undefined;
      if (await saveImported(tx, tenantId, id, hash, lifetime)) kinds.push("Password.Imported");
    }
    if (typeof key === "string" && (await factors.adopt(tx, { tenantId, userId: id }, key))) {
      kinds.push("SecondFactor.Enrolled");
    }
    for (const kind of kinds) await recordAudit(tx, tenantId, caller, { kind, subject: { type: "User", id } });
    return kinds.length > 0;
  };
}

/**
 * Replaces an imported hash by one of our own, once the password is known to be right.
 * @returns the hash that the password now matches; undefined if it was changed meanwhile @throws TenantBusy
 */
export async function adopt(
  sql: Sql,
  passwords: Passwords,
  { tenantId, id }: { tenantId: TenantId; id: number },
  password: string,
  imported: string,
): Promise<string | undefined> {
  const own = await passwords.hash(tenantId, password);
  if (await replaceImported(sql, tenantId, id, imported, own)) return own;
  // Another sign-in may have been faster.
  const present = await findPasswordHash(sql, tenantId, id);
  return present && (await passwords.verify(tenantId, password, present)) ? present : undefined;
}
