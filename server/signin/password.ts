import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { createBudget } from "../budget.ts";
import type { TenantId } from "../tenant-id.ts";

/** OWASP's second choice for argon2id: 19 MiB, two passes. */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Hashes computed at once: each takes 19 MiB and a core, and more than there are cores only take them from requests. */
const TOTAL = availableParallelism();
const BUDGET = { name: "passwords", perTenant: Math.ceil(TOTAL / 2), total: TOTAL, waiting: 200 };
/** Characters of a password. */
const PASSWORD_LIMIT = 1_000;

export interface Passwords {
  /**
   * Takes the same time whether there is a hash or not.
   * @param hash undefined if there is no such account, or it has no password
   * @throws TenantBusy
   */
  verify(tenantId: TenantId, password: string, hash: string | undefined): Promise<boolean>;
  /** @throws TenantBusy */
  hash(tenantId: TenantId, password: string): Promise<string>;
}

export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(normalized(password), ARGON2ID);
}

/** The same characters may come composed or not, as the keyboard has them (NIST SP 800-63B 5.1.1.2). */
function normalized(password: string): string {
  return password.normalize("NFC");
}

export function createPasswords(): Passwords {
  const budget = createBudget(BUDGET);
  const dummy = hashPassword(randomBytes(32).toString("base64url"));
  return {
    async verify(tenantId, password, hash) {
      if (password === "" || password.length > PASSWORD_LIMIT) return false;
      const against = hash ?? (await dummy);
      const matches = await budget.run(tenantId, () => Bun.password.verify(normalized(password), against));
      return matches && hash !== undefined;
    },
    hash: (tenantId, password) => budget.run(tenantId, () => hashPassword(password)),
  };
}
