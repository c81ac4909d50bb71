// Passwords: their rules, their hashes, and asking signed-in users for their own.

import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { originOf } from "../audit/index.ts";
import { createBudget } from "../budget.ts";
import type { Sql } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import type { Session, Visitor } from "./session.ts";
import { findPasswordHash, usernameKey } from "./store.ts";
import type { CheckOutcome } from "./throttle.ts";
import { admit, countSuccess, noteFailure, noteThrottled } from "./throttle.ts";

/** OWASP's second choice for argon2id: 19 MiB, two passes. */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Hashes computed at once. Each takes 19 MiB and a core, so more than one per core would only slow requests down. */
const TOTAL = availableParallelism();
const BUDGET = { name: "passwords", perTenant: Math.ceil(TOTAL / 2), total: TOTAL, waiting: 200 };
/** Characters. */
const PASSWORD_LIMIT = 1_000;

export interface Passwords {
  /** Takes the same time without a hash, which means no account or no password. @throws TenantBusy */
  verify(tenantId: TenantId, password: string, hash: string | undefined): Promise<boolean>;
  /** @throws TenantBusy */
  hash(tenantId: TenantId, password: string): Promise<string>;
}

export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(normalized(password), ARGON2ID);
}

/** Keyboards produce the same characters composed or decomposed (NIST SP 800-63B 5.1.1.2). */
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

// The rules of a password, by NIST SP 800-63B 5.1.1.2: long enough and not a common one. There are no rules about kinds
// of characters.

export const PASSWORD_LENGTH = { min: 8, max: 256 };

/** The user's names, which the password must not repeat. */
export interface PasswordOwner {
  username: string;
  name: string;
}

const SERVICE = "gatehouse";
let common: Promise<Set<string>> | undefined;

/** @returns why a new password is rejected; undefined if it is accepted */
export async function passwordProblem(
  password: string,
  { username, name }: PasswordOwner,
): Promise<string | undefined> {
  const length = [...password.normalize("NFC")].length;
  if (length < PASSWORD_LENGTH.min) return `A password must have at least ${PASSWORD_LENGTH.min} characters.`;
  if (length > PASSWORD_LENGTH.max) return `A password must have at most ${PASSWORD_LENGTH.max} characters.`;
  const plain = password.toLowerCase();
  common ??= readCommon();
  if ((await common).has(plain)) return "This password is too common. Choose another.";
  // Rejects variations of the name, such as "ana2026!" for ana.
  const word = plain.replace(/[^\p{L}]+$/u, "");
  const near = [SERVICE, ...[username, name].map((text) => text.toLowerCase())].filter(Boolean);
  if (near.includes(plain) || near.includes(word)) return "This password is too similar to your name. Choose another.";
  return undefined;
}

/** Loaded on first use: unpacking the dictionaries would add a tenth to the start of a process. */
async function readCommon(): Promise<Set<string>> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set(dictionary["passwords-common"]);
}

/** Asks a signed-in user for the password again before sensitive changes. */
export interface OwnPassword {
  /** False for users who sign in only at a provider. */
  exists(session: Session): Promise<boolean>;
  /** Throttled like a sign-in. @throws TenantBusy */
  check(request: Request, session: Session, password: string, visitor: Visitor): Promise<CheckOutcome>;
}

export function createOwnPassword(sql: Sql, passwords: Passwords, browsers: KnownBrowsers): OwnPassword {
  return {
    exists: async ({ tenantId, userId }) => (await findPasswordHash(sql, tenantId, userId)) !== undefined,
    async check(request, session, password, { address }) {
      const { tenantId, userId, username } = session;
      const known = await browsers.recognize(request, session, address);
      const account = await usernameKey(sql, username);
      const attempt = { tenantId, account, factor: "password", address, ...known } as const;
      const retryAfter = await admit(sql, attempt);
      const subject = { type: "User", id: userId };
      if (retryAfter !== undefined) {
        await noteThrottled(sql, attempt, originOf(request, {}), subject);
        return { outcome: "throttled", retryAfter };
      }
      if (!(await passwords.verify(tenantId, password, await findPasswordHash(sql, tenantId, userId)))) {
        const details = { Reason: "WrongPassword" };
        await noteFailure(sql, attempt, originOf(request, {}), { kind: "SignIn.Failed", subject, details });
        return { outcome: "wrong" };
      }
      await countSuccess(sql, attempt);
      return { outcome: "right" };
    },
  };
}
